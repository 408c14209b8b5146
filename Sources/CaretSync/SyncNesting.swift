import CaretWire
import Glibc

/// Prevents two syncs of the same files: each would mistake the other's changes for those of a person.
package enum SyncNesting {
    package static func check(_ folder: String) throws {
        guard let resolved = realpath(folder, nil) else { throw FileFault("look at it", folder) }
        defer { free(resolved) }
        let root = String(cString: resolved)
        let files = SyncFolder(root: root, limit: 0)
        // The outermost one is the root, without its slash.
        let above = root == "/" ? [] : WireString(root).folders.map(\.string)
        for outer in above.reversed() where try files.isSynced(outer) {
            throw SyncFault.insideSyncedFolder(folder, outer: outer.isEmpty ? "/" : outer)
        }
        if let below = try files.scan(entering: { _, _ in }).synced.sorted().first {
            throw SyncFault.containsSyncedFolder(folder, inner: below)
        }
    }
}

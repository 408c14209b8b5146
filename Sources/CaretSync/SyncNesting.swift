import CaretWire
import Glibc

/// Two syncs must not have the same files: each would treat the other's writes as changes that a person made.
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

import CaretWire
import Glibc

/// Prevents two syncs of the same files. Each sync would treat the changes of the other sync as edits by a
/// person.
package enum SyncNesting {
    package static func check(_ folder: String) throws {
        guard let resolved = realpath(folder, nil) else { throw FileFault("look at it", folder) }
        defer { free(resolved) }
        let root = String(cString: resolved)
        let files = SyncFolder(root: root, limit: 0)
        // The outermost folder is the root `/`. In `above` the root is an empty path, because paths there do
        // not end with a slash.
        let above = root == "/" ? [] : WireString(root).folders.map(\.string)
        for outer in above.reversed() where try files.isSynced(outer) {
            throw SyncFault.insideSyncedFolder(folder, outer: outer.isEmpty ? "/" : outer)
        }
        if let below = try files.scan(ignoring: nil, entering: { _, _ in }).synced.sorted().first {
            throw SyncFault.containsSyncedFolder(folder, inner: below)
        }
    }
}

import Glibc

/// Prevents two syncs of the same files: each would mistake the other's changes for those of a person.
package enum SyncNesting {
    package static func check(_ folder: String) throws {
        guard let resolved = realpath(folder, nil) else { throw FileFault("look at it", folder) }
        defer { free(resolved) }
        let root = String(cString: resolved)
        let files = SyncFolder(root: root, limit: 0)
        var parts = root.split(separator: "/")
        while !parts.isEmpty {
            parts.removeLast()
            let above = "/" + parts.joined(separator: "/")
            if try files.isSynced(above == "/" ? "" : above) {
                throw SyncFault.insideSyncedFolder(folder, outer: above)
            }
        }
        if let below = try files.scan(entering: { _, _ in }).synced.sorted().first {
            throw SyncFault.containsSyncedFolder(folder, inner: below)
        }
    }
}

import Glibc

/// The folder of the backups that a server has made. Only the process that has the data folder open writes there.
struct BackupFiles {
    let folder: String

    /// The ends of the names of a backup that is not complete, and of SQLite's files beside it.
    static let partialEnds = [".partial", ".partial-journal", ".partial-wal", ".partial-shm"]

    /// The names of the backups. An incomplete one has the name that it will get, because it will contain what the
    /// store contained when it began.
    var names: [String] {
        let all = files.map { $0.hasSuffix(".partial") ? String($0.dropLast(".partial".utf8.count)) : $0 }
        return Set(all).filter { $0.hasSuffix(".sqlite") }.sorted()
    }

    /// Removes what is left of backups whose process was killed. No backup may be running.
    func removePartial() {
        for file in files where BackupFiles.partialEnds.contains(where: { file.hasSuffix(".sqlite" + $0) }) {
            unlink(folder + "/" + file)
        }
    }

    private var files: [String] {
        guard let open = opendir(folder) else { return [] }
        defer { closedir(open) }
        var names: [String] = []
        while let entry = readdir(open) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) {
                $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            names.append(name)
        }
        return names
    }
}

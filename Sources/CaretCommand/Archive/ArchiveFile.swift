/// How an archive is told from a folder on the command line.
enum ArchiveFile {
    private static let ending = ".caret-archive"

    static func isArchive(_ path: String) -> Bool {
        path.utf8.reversed().starts(with: ending.utf8.reversed())
    }
}

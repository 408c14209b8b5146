/// Decides whether a path names an archive or a folder: the path of an archive ends with `.caret-archive`.
enum ArchiveFile {
    private static let ending = ".caret-archive"

    static func isArchive(_ path: String) -> Bool {
        path.utf8.reversed().starts(with: ending.utf8.reversed())
    }
}

/// Distinguishes an archive from a folder by the end of its path.
enum ArchiveFile {
    private static let ending = ".caret-archive"

    static func isArchive(_ path: String) -> Bool {
        path.utf8.reversed().starts(with: ending.utf8.reversed())
    }
}

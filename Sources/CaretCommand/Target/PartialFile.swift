import Glibc

/// A new file that is renamed to its final name once it is complete.
enum PartialFile {
    /// The file must be new and not a link. Otherwise a user who can write to the folder could choose which
    /// file is overwritten.
    static let flags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC

    /// A name for a partial file. The name begins with a dot, so an import ignores a file that a killed
    /// process left. The name is random, so no other user can create a file with this name first.
    static func name() -> String { ".caret-partial-" + String(UInt64.random(in: 0 ... .max), radix: 36) }

    /// The path of a partial file in the folder of `path`.
    static func path(beside path: String) -> String {
        let end = path.utf8.lastIndex(of: UInt8(ascii: "/")).map { path.utf8.index(after: $0) }
        return path[..<(end ?? path.startIndex)] + name()
    }
}

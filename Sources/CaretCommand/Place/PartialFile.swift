import Glibc

/// A new file that gets its real name once it is whole.
enum PartialFile {
    /// It must be new, and no link: others may write into the folder, and must not choose what is written over.
    static let flags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC

    /// Hidden, so that a file that a kill has left is no document. Random, so that nobody can take the name beforehand.
    static func name() -> String { ".caret-partial-" + String(UInt64.random(in: 0 ... .max), radix: 36) }

    /// Such a name in the folder of a path.
    static func path(beside path: String) -> String {
        let end = path.utf8.lastIndex(of: UInt8(ascii: "/")).map { path.utf8.index(after: $0) }
        return path[..<(end ?? path.startIndex)] + name()
    }
}

import Foundation

/// A text file of the repository: its path from the root, and its contents.
struct RepositoryFile: Equatable {
    let path: String
    let text: String

    /// The lines with their numbers, counted from 1.
    var numberedLines: [(number: Int, text: Substring)] {
        text.split(separator: "\n", omittingEmptySubsequences: false).enumerated()
            .map { (number: $0.offset + 1, text: $0.element) }
    }

    /// The folder of the target that the file belongs to: the first two parts of its path.
    var targetFolder: String {
        path.split(separator: "/").prefix(2).joined(separator: "/")
    }
}

/// A violation of a rule, in a form that editors can jump to.
struct Violation: Equatable, CustomStringConvertible {
    let path: String
    var line = 1
    let reason: String

    var description: String { "\(path):\(line): \(reason)" }
}

/// The repository that these tests were built from.
enum Repository {
    private static let root = URL(filePath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

    /// Where a file of the repository is.
    static func url(of path: String) -> URL { root.appending(path: path) }

    /// The folders with one folder for each target.
    private static let parents = ["Benchmarks", "Sources", "Tests"]

    /// The names at the root, without the dot files.
    static func topLevelNames() throws -> [String] {
        try visibleNames(in: "")
    }

    /// The folders of targets, as `Sources/CaretCore`.
    static func targetFolders() throws -> [String] {
        try parents
            .flatMap { parent in try visibleNames(in: parent).map { "\(parent)/\($0)" } }
            .filter { isFolder($0) && $0 != "Tests/Fixtures" }
    }

    /// The Swift files of all targets.
    static func swiftFiles() throws -> [RepositoryFile] {
        try parents.flatMap(textFiles(under:)).filter { $0.path.hasSuffix(".swift") }
    }

    /// Every text file that people write: no hidden files and no build results.
    static func textFiles() throws -> [RepositoryFile] {
        try (topLevelNames() + [".ci"]).flatMap(textFiles(under:))
    }

    /// The paths of all files that people write, text or not.
    static func paths() throws -> [String] {
        try (topLevelNames() + [".ci"]).flatMap(paths(under:))
    }

    private static func paths(under path: String) throws -> [String] {
        guard isFolder(path), !isLink(path) else { return [path] }
        return try visibleNames(in: path).flatMap { try paths(under: "\(path)/\($0)") }
    }

    private static func textFiles(under path: String) throws -> [RepositoryFile] {
        guard isFolder(path) else { return try textFile(path).map { [$0] } ?? [] }
        return try visibleNames(in: path).flatMap { try textFiles(under: "\(path)/\($0)") }
    }

    /// Nil for binary files, because the rules are about text, and for symbolic links, because their targets
    /// are read anyway.
    private static func textFile(_ path: String) throws -> RepositoryFile? {
        if isLink(path) { return nil }
        let bytes = try Data(contentsOf: root.appending(path: path))
        return String(validating: bytes, as: UTF8.self).map { RepositoryFile(path: path, text: $0) }
    }

    /// The names in a folder, without the dot files.
    private static func visibleNames(in folder: String) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: root.appending(path: folder).path)
            .filter { !$0.hasPrefix(".") }.sorted()
    }

    private static func isLink(_ path: String) -> Bool {
        let values = try? root.appending(path: path).resourceValues(forKeys: [.isSymbolicLinkKey])
        return values?.isSymbolicLink == true  // If this fails, reading the file fails too.
    }

    private static func isFolder(_ path: String) -> Bool {
        let values = try? root.appending(path: path).resourceValues(forKeys: [.isDirectoryKey])
        return values?.isDirectory == true  // If this fails, the path is read as a file, which fails too.
    }
}

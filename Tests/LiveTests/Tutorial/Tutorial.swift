import Foundation
import TestSupport

/// The Python files of `docs/tutorial-client.md` and the programs that test them, in a folder that is removed
/// with this value.
struct Tutorial {
    private static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent()
    static let fixtures = root.appending(path: "Tests/Fixtures")

    /// The lines of each Python file of the page, by the name in its first line.
    let blocks: [String: [String]]
    private let scratch: Scratch
    var folder: String { scratch.path }

    init() throws {
        let page = Self.root.appending(path: "docs/tutorial-client.md")
        let text = try String(contentsOf: page, encoding: .utf8)
        let python = MarkdownPage(text).blocks.filter { $0.language == "python" }
        let named = try python.map { block in
            guard let name = block.lines.first, name.hasPrefix("# "), name.hasSuffix(".py") else {
                throw Unexpected("line \(block.line) of the tutorial does not name its file")
            }
            return (String(name.dropFirst(2)), block.lines)
        }
        blocks = Dictionary(uniqueKeysWithValues: named)
        scratch = try .inMemory()
        for (name, lines) in blocks {
            let text = lines.joined(separator: "\n") + "\n"
            try text.write(toFile: folder + "/" + name, atomically: false, encoding: .utf8)
        }
        let programs = Self.fixtures.appending(path: "tutorial").path
        for name in try FileManager.default.contentsOfDirectory(atPath: programs) where name.hasSuffix(".py")
        {
            try FileManager.default.copyItem(atPath: programs + "/" + name, toPath: folder + "/" + name)
        }
    }

    /// Runs a program of the folder to its end.
    func run(_ name: String, _ arguments: String...) throws -> Program.ExitResult {
        try Program(["python3", folder + "/" + name] + arguments).waitForExit()
    }

    /// Starts a program of the folder.
    func program(_ name: String, _ arguments: String..., readsLines: Bool = false) throws -> Program {
        try Program(["python3", folder + "/" + name] + arguments, readsLines: readsLines)
    }
}

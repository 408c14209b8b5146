import Foundation
import TestSupport

/// The pages of the repository, and the commands on them.
enum Pages {
    static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent()

    /// All pages by path.
    static let all: [(path: String, page: MarkdownPage)] = {
        let folders = ["", "docs", "docs/decisions", "docs/protocol", "Tests/Fixtures"]
        return folders.flatMap { folder in
            // A test counts the pages, so it notices a folder that cannot be read.
            let names = try? FileManager.default.contentsOfDirectory(atPath: root.path + "/" + folder)
            return (names ?? []).sorted().filter { $0.hasSuffix(".md") }.compactMap { name in
                let path = folder.isEmpty ? name : folder + "/" + name
                let text = try? String(contentsOf: root.appending(path: path), encoding: .utf8)
                return text.map { (path, MarkdownPage($0)) }
            }
        }
    }()

    static func page(_ path: String) -> MarkdownPage? { all.first { $0.path == path }?.page }

    static func text(_ path: String) throws -> String {
        try String(contentsOf: root.appending(path: path), encoding: .utf8)
    }

    /// The shell commands of a page: the lines of its `sh` blocks, with continued lines joined.
    static func commands(of page: MarkdownPage) -> [String] {
        page.blocks.filter { $0.language == "sh" }.flatMap { commands(of: $0) }
    }

    static func commands(of block: MarkdownPage.Block) -> [String] {
        block.lines.joined(separator: "\n").replacing("\\\n", with: "").split(separator: "\n")
            .map { $0.split(separator: " ", omittingEmptySubsequences: true).joined(separator: " ") }
    }

    /// Text that begins with one of these programs is a command.
    static let programs: Set = [
        "caret", "caretd", "caret-bench", "swift", "nc", "printf", "docker", "systemctl", "systemd-analyze",
        "journalctl", "sudo", "man", "mkdir", "install", "git",
    ]

    static func isCommand(_ text: String) -> Bool {
        guard let word = text.split(separator: " ").drop(while: { $0.contains("=") }).first else {
            return false
        }
        return programs.contains(String(word)) || word.hasPrefix("scripts/")
            || word.hasPrefix(".build/release/")
    }
}

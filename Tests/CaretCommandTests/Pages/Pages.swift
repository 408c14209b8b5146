import Foundation
import TestSupport

/// The pages of the repository, and the commands that they tell a reader to type.
enum Pages {
    static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent()

    /// Every page, by its path.
    static let all: [(path: String, page: MarkdownPage)] = {
        let folders = ["", "docs", "docs/decisions", "docs/protocol", "Tests/Fixtures"]
        return folders.flatMap { folder in
            // A folder that cannot be read is found missing by the test that counts the pages.
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

    /// What a shell would take as the commands of a page: the lines of its blocks for `sh`, those that go on joined.
    static func commands(of page: MarkdownPage) -> [String] {
        page.blocks.filter { $0.language == "sh" }.flatMap { block in
            block.lines.joined(separator: "\n").replacing("\\\n", with: "").split(separator: "\n")
                .map { $0.split(separator: " ", omittingEmptySubsequences: true).joined(separator: " ") }
        }
    }

    /// Programs whose name, where a line or a piece of code begins with it, makes that a command.
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

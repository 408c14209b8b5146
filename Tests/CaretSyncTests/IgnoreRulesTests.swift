import CaretSync
import Foundation
import TestSupport
import Testing

@Suite("The rules of .caretignore") struct IgnoreRulesTests {
    /// A row: the file with ` | ` between its lines, the paths that it ignores, and the paths that it does not ignore.
    @Test(
        "a pattern ignores what git's .gitignore ignores",
        arguments: [
            ("", "", "a b/c"),
            ("# a |  | a ", "a b/a a/c", "ab b"),
            ("*.log", "a.log b/c.log .log d.log/e", "a.logs log"),
            ("!a | a", "a", "b"),
            ("*.md | !b.md", "a.md c/a.md", "b.md c/b.md"),
            ("/a", "a a/b", "b/a"),
            ("a/", "a/b c/a/b", "a c/a"),
            ("a/b", "a/b a/b/c", "c/a/b a b"),
            ("a/*", "a/b a/b/c", "b/a a"),
            ("a/* | !a/b", "a/c", "a/b a/b/d"),
            ("a | !a/b", "a/b a/c", "b"),
            ("**/a", "a b/a b/c/a", "ab"),
            ("a/**", "a/b a/b/c", "a c/a/b"),
            ("a/**/b", "a/b a/c/b a/c/d/b", "b a/c b/a/c"),
            ("a/**/b/**/c", "a/b/c a/x/b/y/c a/b/b/c", "a/c a/b"),
            ("?", "a b/a", "ab"),
            ("[ab] | [!c]d", "a b ad", "c cd d"),
            (##"\#a | \!b | c\*"##, "#a !b c*", "a b cd"),
            ("a**b", "ab axb", "a/b"),
            ("/*", "a b/c", ""),
            ("a//b", "", "a b a/b"),
            ("/", "", "a"),
        ])
    func table(file: String, ignored: String, others: String) throws {
        let text = file.replacing(" | ", with: "\n")
        let rules = IgnoreRules(text)
        for (paths, isIgnored) in [(ignored, true), (others, false)] {
            for path in paths.split(separator: " ") {
                #expect(rules.ignores(String(path)) == isIgnored, "\(path)")
                #expect(try isIgnored == gitIgnores(String(path), text), "git: \(path)")
            }
        }
    }

    @Test("spaces, line ends and a byte order mark are read as git reads them")
    func lines() {
        let rules = IgnoreRules("\u{FEFF}a  \r\nb\\ \nc d\ne\\\\ \n")
        for path in ["a", "b ", "c d", "e\\"] { #expect(rules.ignores(path), "\(path)") }
        for path in ["a  ", "b", "c", "\u{FEFF}a"] { #expect(!rules.ignores(path), "\(path)") }
    }

    @Test("names are compared by their bytes, and a combining mark after a slash is not part of the slash")
    func bytes() {
        let rules = IgnoreRules("caf\u{E9}\n/a/\u{301}b\n")
        #expect(rules.ignores("caf\u{E9}") && rules.ignores("a/\u{301}b"))
        #expect(!rules.ignores("cafe\u{301}") && !rules.ignores("a/b"))
    }

    @Test("many folder wildcards are matched quickly")
    func wildcards() {
        let pattern = String(repeating: "**/a/", count: 200) + "b"
        #expect(!IgnoreRules(pattern).ignores(String(repeating: "a/", count: 2_000) + "c"))
    }

    private func gitIgnores(_ path: String, _ text: String) throws -> Bool {
        let folder = FileManager.default.temporaryDirectory.appending(path: "caret-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        // If the folder cannot be removed, it stays in the system's temporary folder and disturbs no test.
        defer { try? FileManager.default.removeItem(at: folder) }
        try run("init", "-q", in: folder)
        try Data(text.utf8).write(to: folder.appending(path: ".gitignore"))
        return try run("check-ignore", "-q", "--no-index", "--", path, in: folder) == 0
    }

    @discardableResult
    private func run(_ arguments: String..., in folder: URL) throws -> Int32? {
        try ChildProgram(["git", "-C", folder.path] + arguments).waitForEnd()
    }
}

import Foundation
import TestSupport
import Testing

@Suite("The sessions on the page about HTTP") struct HTTPPageTests {
    private let page: MarkdownPage

    init() throws {
        page = try #require(Pages.page("docs/protocol/http.md"))
    }

    @Test(
        "the answers on the page are those of a running server",
        arguments: [
            ("A session in the shell", [], 12), ("With a token", ["--require-tokens"], 1),
            ("Tokens and sign-outs", ["--require-tokens"], 1),
            ("Differences and histories", [], 2),
        ])
    func session(heading: String, options: [String], answers: Int) throws {
        let session = try CommandSession(options)
        var (output, found) = ("", 0)
        for block in page.blocks where block.heading == heading {
            guard block.language != "sh" else {
                output = try Pages.commands(of: block).map { try run($0, in: session) }.joined()
                continue
            }
            found += 1
            #expect(
                isLike(output, block.lines.joined(separator: "\n") + "\n"),
                "docs/protocol/http.md:\(block.line): the answer is\n\(output)")
        }
        #expect(found == answers)
    }

    @Test("the code on the page merges a change in JavaScript")
    func javaScript() throws {
        let session = try CommandSession()
        let block = try #require(page.blocks.first { $0.language == "js" })
        let code = block.lines.joined(separator: "\n").replacing("127.0.0.1:22738", with: session.address)
        try code.write(toFile: session.folder.path + "/save.mjs", atomically: false, encoding: .utf8)
        let put = try session.caret(["put", "agenda", "--create"], input: "Check budget\n")
        #expect(put.status == 0)
        let result = try session.shell("node save.mjs")
        #expect(result.status == 0 && result.output.hasSuffix("/2 Check the budget\n\n"), "\(result)")
    }

    private func run(_ command: String, in session: CommandSession) throws -> String {
        let run = try session.shell(command)
        #expect(run.status == 0 && run.errors.isEmpty, "\(command)\n\(run.output)\(run.errors)")
        return run.output.replacing("\r\n", with: "\n")
    }

    /// Whether a text matches a block of the page. `…` and the epoch of the page match anything.
    private func isLike(_ text: String, _ pattern: String) -> Bool {
        let pieces = pattern.replacing("k2v9.1", with: "…").components(separatedBy: "…")
        guard text.hasPrefix(pieces[0]) else { return false }
        var rest = text.dropFirst(pieces[0].count)
        for piece in pieces.dropFirst().dropLast() {
            guard let found = rest.firstRange(of: piece) else { return false }
            rest = rest[found.upperBound...]
        }
        return pieces.count == 1 ? rest.isEmpty : rest.hasSuffix(pieces[pieces.count - 1])
    }
}

import Foundation
import Testing

@Suite("The example session on the protocol page", .onOwnThread) struct ProtocolPageTests {
    @Test("the session on the page matches a running server line by line")
    func session() throws {
        let conversation = Conversation(with: try LiveServer(["--ping": "20 s", "--web": "false"]))
        for line in try sessionToRead() {
            if line.hasPrefix(">") || line.hasPrefix("<") {
                try conversation.run("alice" + line)
            } else if let (_, rest) = line.parts(around: "somebody else pushes "),
                let (text, _) = rest.parts(around: ")")
            {
                try conversation.run(
                    """
                    bob> {"type":"push","doc":"agenda","epoch":"⟨epoch⟩","base":1,"seq":1,"text":\(text)}
                    bob< {"type":"ack",…
                    """)
            } else if let (_, rest) = line.parts(around: " to "), let (mapped, _) = rest.parts(around: ";") {
                try conversation.run(
                    """
                    bob> {"type":"open","doc":"agenda"}
                    bob< {"type":"opened",…"selections":[[\(mapped.replacing("..", with: ","))]]}],…
                    """)
            } else {
                throw Unexpected("a line of an unknown kind on the page: \(line)")
            }
        }
        try conversation.end()
    }

    /// The lines of the example session in docs/protocol/README.md. Values that differ on every run are
    /// replaced with the notation of `Pattern`.
    private func sessionToRead() throws -> [String] {
        let page = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().appending(path: "docs/protocol/README.md")
        let text = try String(contentsOf: page, encoding: .utf8)
        let rest = try #require(text.parts(around: "\n## A session to read")?.1)
        let section = try #require(rest.parts(around: "\n```\n")?.1)
        let block = try #require(section.parts(around: "\n```\n")?.0)
        return block.replacing("\n   \"", with: "\"").replacing("k2v9.1", with: "⟨epoch⟩")
            .replacing("\"k2v9\"", with: "\"…\"")
            .replacing(/p-[0-9a-z]+/, with: "…").replacing("1790000000000", with: "…")
            .split(separator: "\n").map(String.init)
    }
}

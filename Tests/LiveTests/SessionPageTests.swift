import Foundation
import TestSupport
import Testing

@Suite("The session to type into nc", .onOwnThread) struct SessionPageTests {
    @Test("the session works if a reader types it")
    func session() throws {
        let conversation = Conversation(with: try LiveServer())
        let path = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().appending(path: "docs/protocol/session.md")
        let page = MarkdownPage(try String(contentsOf: path, encoding: .utf8))
        #expect(page.blocks.count == 3)
        for (block, who) in zip(page.blocks, ["ann", "bob", "ann"]) {
            for line in block.lines { try conversation.run(who + line) }
        }
        try conversation.end()
    }
}

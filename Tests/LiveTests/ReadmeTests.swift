import Foundation
import TestSupport
import Testing

@Suite("The README", .onOwnThread) struct ReadmeTests {
    @Test("a reader with nc can type the session of the README")
    func session() throws {
        let conversation = Conversation(with: try LiveServer())
        let path = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().appending(path: "README.md")
        let page = MarkdownPage(try String(contentsOf: path, encoding: .utf8))
        // Blocks with a language are for a shell, or Swift.
        let blocks = page.blocks.filter { $0.language.isEmpty }
        #expect(blocks.count == 3)
        for (block, who) in zip(blocks, ["ann", "bob", "ann"]) {
            for line in block.lines { try conversation.run(who + line) }
        }
        try conversation.end()
    }
}

import Foundation
import TestSupport
import Testing

@Suite("The example session in the README", .onOwnThread) struct ReadmeTests {
    @Test("the session in the README works if a reader types it with nc")
    func session() throws {
        let conversation = Conversation(with: try LiveServer())
        let path = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().appending(path: "README.md")
        let page = MarkdownPage(try String(contentsOf: path, encoding: .utf8))
        // The example session of README.md is in the code blocks without a language. All other code blocks
        // are for a shell or in Swift.
        let blocks = page.blocks.filter { $0.language.isEmpty }
        #expect(blocks.count == 3)
        for (block, who) in zip(blocks, ["ann", "bob", "ann"]) {
            for line in block.lines { try conversation.run(who + line) }
        }
        try conversation.end()
    }
}

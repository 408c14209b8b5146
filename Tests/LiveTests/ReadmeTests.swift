import Foundation
import Testing

@Suite("The README", .onOwnThread) struct ReadmeTests {
    @Test("who has only the README and nc can push, open, select, and see a change")
    func session() throws {
        let conversation = Conversation(with: try LiveServer())
        let blocks = try blocks()
        #expect(blocks.count == 3)
        for (block, who) in zip(blocks, ["ann", "bob", "ann"]) {
            for line in block.split(separator: "\n") { try conversation.run(who + line) }
        }
        try conversation.end()
    }

    /// What stands in the section on nc, block by block.
    private func blocks() throws -> [String] {
        let page = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().appending(path: "README.md")
        let text = try String(contentsOf: page, encoding: .utf8)
        let section = try #require(text.parts(around: "\n## A session in")?.1.parts(around: "\n## ")?.0)
        return section.components(separatedBy: "```\n").enumerated().filter { $0.offset % 2 == 1 }.map(
            \.element)
    }
}

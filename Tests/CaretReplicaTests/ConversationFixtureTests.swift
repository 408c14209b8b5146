import Foundation
import Testing

@Suite("Published conversations") struct ConversationFixtureTests {
    private static let folder = URL(filePath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().appending(path: "Fixtures/conversations")

    static let files = [
        "check", "concurrent", "edit", "epoch", "open", "peers", "refused", "rename", "restart", "resume",
        "resync",
    ]

    @Test("after each step, sent lines and state match the published conversation", arguments: files)
    func conversation(name: String) throws {
        let bytes = try Data(contentsOf: Self.folder.appending(path: name + ".json"))
        let file = try #require(try JSONSerialization.jsonObject(with: bytes) as? ConversationRun.JSON)
        #expect(file["kind"] as? String == "conversation" && file["unit"] as? String == "utf-16")
        let conversations = try #require(file["conversations"] as? [ConversationRun.JSON])
        #expect(!conversations.isEmpty)
        for conversation in conversations {
            let about = try #require(conversation["about"] as? String)
            let steps = try #require(conversation["steps"] as? [ConversationRun.JSON])
            try follow(steps, "\(name): \(about)")
        }
    }

    @Test("every file of conversations is tested")
    func everyFile() throws {
        let names = try FileManager.default.contentsOfDirectory(atPath: Self.folder.path)
        #expect(names.filter { $0 != "README.md" }.sorted() == Self.files.map { $0 + ".json" })
    }

    private func follow(_ steps: [ConversationRun.JSON], _ about: String) throws {
        var run = ConversationRun()
        var state = run.state
        for (index, step) in steps.enumerated() {
            let location = "\(about), step \(index)"
            try #require(ConversationRun.events.count { step[$0] != nil } == 1, "\(location)")
            let known = ConversationRun.events.union(["out", "view", "retryAfter", "state"])
            #expect(Set(step.keys).isSubset(of: known), "\(location)")
            let outcome = try run.happen(step)
            // State that a step does not mention is unchanged.
            let news = step["state"] as? ConversationRun.JSON ?? [:]
            #expect(Set(news.keys).isSubset(of: state.keys), "\(location)")
            state.merge(news) { $1 }
            let out = try #require(step["out"] as? [Any], "\(location)")
            try expect(outcome.lines, out, "\(location): lines")
            try expect(outcome.view.json, step["view"] ?? [Any](), "\(location): view")
            #expect(outcome.retryAfter == step["retryAfter"] as? Int, "\(location)")
            for key in state.keys.sorted() {
                try expect(run.state[key] ?? NSNull(), state[key] ?? NSNull(), "\(location): \(key)")
            }
        }
    }

    /// Compares two JSON values by their text with sorted keys.
    private func expect(_ found: Any, _ expected: Any, _ location: String) throws {
        let (found, expected) = (try Self.spelled(found), try Self.spelled(expected))
        #expect(found == expected, "\(location)")
    }

    private static func spelled(_ value: Any) throws -> String {
        let options: JSONSerialization.WritingOptions = [
            .sortedKeys, .fragmentsAllowed, .withoutEscapingSlashes,
        ]
        return String(
            decoding: try JSONSerialization.data(withJSONObject: value, options: options), as: UTF8.self)
    }
}

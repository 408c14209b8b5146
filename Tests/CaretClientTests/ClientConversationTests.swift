import Foundation
import Testing

@Suite("Shared conversations of a whole client") struct ClientConversationTests {
    private static let folder = URL(filePath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().appending(path: "Fixtures/clients")

    static let files = ["bye", "close", "connect", "full-disk", "keep", "requests", "rotate", "windows"]

    @Test("after each step, lines and state match the shared conversation", arguments: files)
    func conversation(name: String) throws {
        let bytes = try Data(contentsOf: Self.folder.appending(path: name + ".json"))
        let file = try #require(try JSONSerialization.jsonObject(with: bytes) as? ClientRun.JSON)
        #expect(file["kind"] as? String == "client")
        let welcome = try #require(file["welcome"] as? ClientRun.JSON)
        let conversations = try #require(file["conversations"] as? [ClientRun.JSON])
        #expect(!conversations.isEmpty)
        for conversation in conversations {
            let about = try #require(conversation["about"] as? String)
            let steps = try #require(conversation["steps"] as? [ClientRun.JSON])
            var run = ClientRun(
                keeps: conversation["keeps"] as? Bool ?? false,
                servers: conversation["servers"] as? [String] ?? ["a"], welcome: welcome)
            try follow(steps, with: &run, "\(name): \(about)")
        }
    }

    @Test("every file of shared conversations is tested")
    func everyFile() throws {
        let names = try FileManager.default.contentsOfDirectory(atPath: Self.folder.path)
        #expect(names.filter { $0 != "README.md" }.sorted() == Self.files.map { $0 + ".json" })
    }

    private func follow(_ steps: [ClientRun.JSON], with run: inout ClientRun, _ about: String) throws {
        var state = run.state
        for (index, step) in steps.enumerated() {
            let location = "\(about), step \(index)"
            let outcome = try run.happen(step)
            try expect(outcome.out, step["out"] ?? [Any](), "\(location): out")
            #expect(outcome.connect == step["connect"] as? [String] ?? [], "\(location): connect")
            #expect(outcome.answers == step["answers"] as? [String] ?? [], "\(location): answers")
            #expect(outcome.error == step["error"] as? String, "\(location): error")
            // State that a step does not mention is unchanged.
            state.merge(step["state"] as? ClientRun.JSON ?? [:]) { $1 }
            try expect(run.state, state, "\(location): state")
        }
    }

    /// Compares two JSON values by their text with sorted keys.
    private func expect(_ found: Any, _ expected: Any, _ location: String) throws {
        let (found, expected) = (try Self.spelled(found), try Self.spelled(expected))
        #expect(found == expected, "\(location)")
    }

    private static func spelled(_ value: Any) throws -> String {
        let options: JSONSerialization.WritingOptions = [.sortedKeys, .fragmentsAllowed]
        return String(
            decoding: try JSONSerialization.data(withJSONObject: value, options: options), as: UTF8.self)
    }
}

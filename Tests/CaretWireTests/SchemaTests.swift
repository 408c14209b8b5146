import CaretWire
import Foundation
import TestSupport
import Testing

/// An independent validator reads docs/protocol/messages.schema.json.
@Suite("The JSON Schema of the messages") struct SchemaTests {
    @Test("accepts every message that the encoder writes, and every example of the page")
    func accepted() throws {
        var random = Seeded(1)
        let page = try MessagesPage().messages.flatMap(\.examples)
        var examples = page
        for _ in 0..<20 {
            examples += try SampleMessages.client(&random).map {
                try MessagesPage.Example(line: $0.line(), isFromClient: true)
            }
            examples += try SampleMessages.server(&random).map {
                try MessagesPage.Example(line: $0.line(), isFromClient: false)
            }
        }
        let answers = try answers(to: examples)
        try #require(answers.count == examples.count)
        for (example, answer) in zip(examples, answers) { #expect(answer == "accepted", "\(example.line)") }
    }

    @Test("refuses a message without a required field, and one with a value of a wrong type")
    func refused() throws {
        var examples: [MessagesPage.Example] = []
        for message in try MessagesPage().messages {
            for (field, example, path) in message.occurrences {
                if field.required == "yes" { examples.append(try example.removing(path)) }
                // Not an unknown word, which the schema accepts if a later version may have further words.
                examples.append(try example.setting(path, to: field.type == "object" ? 5 : [[true]]))
            }
        }
        let answers = try answers(to: examples)
        try #require(answers.count == examples.count && examples.count > 300)
        for (example, answer) in zip(examples, answers) { #expect(answer == "refused", "\(example.line)") }
    }

    private func answers(to examples: [MessagesPage.Example]) throws -> [Substring] {
        let root = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../..")
        let program = root.appending(path: "Tests/Fixtures/wire/check-schema.py").path
        let schema = root.appending(path: "docs/protocol/messages.schema.json").path
        let lines = examples.map { "\($0.isFromClient ? "client" : "server") \($0.line)\n" }.joined()
        return try ChildProgram.lines(of: ["/usr/bin/python3", program, schema], reading: lines)
    }
}

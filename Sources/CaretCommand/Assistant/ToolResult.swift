/// The answer to a `ToolCall`: texts for the assistant, and whether the call failed.
package struct ToolResult: Equatable, Sendable {
    package let texts: [String]
    package let isError: Bool

    package init(_ texts: String..., isError: Bool = false) { (self.texts, self.isError) = (texts, isError) }

    var json: JSON {
        .object([
            "content": .list(texts.map { .object(["type": .text("text"), "text": .text($0)]) }),
            "isError": .bool(isError),
        ])
    }
}

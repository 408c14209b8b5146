import CaretWire

/// The tools, as `tools/list` describes them to an assistant. `ToolCall` reads their arguments.
enum ToolList {
    private static let name: (String, JSON) = (
        "name", property("string", "The name of the document, such as notes/today.")
    )

    static let json: JSON = .object([
        "tools": .list([
            tool(
                "list_documents", "Lists the documents that you may read, with their newest revisions.",
                [("prefix", property("string", "Lists only documents whose names begin with this text."))],
                required: [], isReadOnly: true),
            tool(
                "read_document",
                """
                Returns the text of a document and the number of its revision. Other people may edit the document at \
                the same time. Line breaks are \\n.
                """,
                [
                    name, ("revision", property("integer", "An old revision. Without it, the newest text.")),
                    (
                        "first_line",
                        property("integer", "The first line to return, counted from 1. For long texts.")
                    ),
                    ("lines", property("integer", "How many lines to return at most.")),
                ],
                required: ["name"], isReadOnly: true),
            tool(
                "document_history",
                """
                Lists the newest revisions of a document: number, time, user, and how many characters each inserted and \
                deleted.
                """,
                [
                    name,
                    (
                        "limit",
                        property(
                            "integer",
                            "How many: from 1 to \(ToolCall.mostRevisions); usually \(ToolCall.usualRevisions)."
                        )
                    ),
                ], required: ["name"], isReadOnly: true),
            tool(
                "edit_document",
                """
                Replaces one passage of a document. The passage must occur exactly once in the newest text. Use this \
                tool for small changes, because it keeps what other people write meanwhile, and their carets stay \
                where they are.
                """,
                [
                    name,
                    (
                        "old_text",
                        property(
                            "string", "The passage, exactly as in the document, with enough text around it.")
                    ),
                    ("new_text", property("string", "The text that replaces the passage.")),
                ], required: ["name", "old_text", "new_text"], isReadOnly: false),
            tool(
                "write_document",
                """
                Saves a whole new text. Pass the revision that you read as base_revision: the server then merges your \
                changes with what other people changed since that revision. Without base_revision, your text replaces \
                the newest text.
                """,
                [
                    name, ("text", property("string", "The whole new text.")),
                    ("base_revision", property("integer", "The revision that your text was made from.")),
                    ("create", property("boolean", "Creates the document if it does not exist.")),
                ], required: ["name", "text"], isReadOnly: false),
            tool(
                "wait_for_changes",
                """
                Waits until a document has a newer revision than the one that you know, and returns what changed. \
                Returns without changes after timeout_seconds.
                """,
                [
                    name, ("after_revision", property("integer", "The revision that you know.")),
                    (
                        "timeout_seconds",
                        property(
                            "integer",
                            "How long to wait: from 1 to \(ToolCall.mostSeconds); usually \(ToolCall.usualSeconds)."
                        )
                    ),
                ], required: ["name", "after_revision"], isReadOnly: true),
        ])
    ])

    private static func property(_ type: String, _ description: String) -> JSON {
        .object(["type": .text(type), "description": .text(description)])
    }

    private static func tool(
        _ name: String, _ description: String, _ properties: [(String, JSON)], required: [String],
        isReadOnly: Bool
    ) -> JSON {
        .object([
            "name": .text(name), "description": .text(description),
            "inputSchema": .object([
                "type": .text("object"),
                "properties": .object(properties.map { (key: $0.0, value: $0.1) }),
                "required": .list(required.map { .text($0) }),
                "additionalProperties": .bool(false),
            ]),
            // Nothing is lost by any tool: each old revision can be restored.
            "annotations": .object(["readOnlyHint": .bool(isReadOnly), "destructiveHint": .bool(false)]),
        ])
    }
}

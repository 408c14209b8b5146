/// The tools, as `tools/list` describes them to an assistant. `ToolCall` reads their arguments.
enum ToolList {
    private struct Tool {
        let name: StaticString
        let purpose: WireString
        let arguments: [Argument]
        let isReadOnly: Bool
    }

    private struct Argument {
        let name: StaticString
        let type: StaticString
        let meaning: WireString
        var isRequired = false
    }

    private static let document = Argument(
        name: "name", type: "string", meaning: "The name of the document, such as notes/today.",
        isRequired: true)

    private static let tools = [list, read, history, edit, write, wait] + notes

    private static let notes = [
        Tool(
            name: "list_notes",
            purpose: """
                Lists the notes that people and assistants have written on words of a document, with their answers. A note \
                can suggest a change.
                """,
            arguments: [
                document,
                Argument(
                    name: "all", type: "boolean",
                    meaning: "Also lists notes that were resolved, accepted or rejected."),
            ],
            isReadOnly: true),
        Tool(
            name: "add_note",
            purpose: """
                Writes a note for the people who work on a document, without changing the text. The note stays on its passage \
                while others edit.
                """,
            arguments: [
                document,
                Argument(name: "text", type: "string", meaning: "What the note says.", isRequired: true),
                Argument(
                    name: "passage", type: "string",
                    meaning: "The words that the note is about. They must occur exactly once."),
            ],
            isReadOnly: false),
        Tool(
            name: "answer_note",
            purpose: "Answers a note that begins a thread.",
            arguments: [
                document,
                Argument(
                    name: "note", type: "integer", meaning: "The number of the note.", isRequired: true),
                Argument(name: "text", type: "string", meaning: "What the answer says.", isRequired: true),
            ],
            isReadOnly: false),
        Tool(
            name: "suggest_edit",
            purpose: """
                Suggests to replace one passage of a document. The text stays as it is until a person accepts. Use this tool \
                if people should decide, or if you may not change the document.
                """,
            arguments: [
                document,
                Argument(
                    name: "old_text", type: "string",
                    meaning: "The passage, exactly as in the document. It must occur exactly once.",
                    isRequired: true),
                Argument(
                    name: "new_text", type: "string", meaning: "The text that should replace the passage.",
                    isRequired: true),
                Argument(name: "reason", type: "string", meaning: "Why, for those who decide."),
            ],
            isReadOnly: false),
        Tool(
            name: "resolve_note",
            purpose: "Marks a note as resolved, for example after you have done what it asks for.",
            arguments: [
                document,
                Argument(
                    name: "note", type: "integer", meaning: "The number of the note.", isRequired: true),
                Argument(name: "reopen", type: "boolean", meaning: "Opens a resolved note again."),
            ],
            isReadOnly: false),
    ]

    private static let list = Tool(
        name: "list_documents",
        purpose: "Lists the documents that you may read, with their newest revisions.",
        arguments: [
            Argument(
                name: "prefix", type: "string",
                meaning: "Lists only documents whose names begin with this text.")
        ],
        isReadOnly: true)

    private static let read = Tool(
        name: "read_document",
        purpose: """
            Returns the text of a document and the number of its revision. Other people may edit the document at the \
            same time. Line breaks are \\n.
            """,
        arguments: [
            document,
            Argument(
                name: "revision", type: "integer", meaning: "An old revision. Without it, the newest text."),
            Argument(
                name: "first_line", type: "integer",
                meaning: "The first line to return, counted from 1. For long texts."),
            Argument(name: "lines", type: "integer", meaning: "How many lines to return at most."),
        ],
        isReadOnly: true)

    private static let history = Tool(
        name: "document_history",
        purpose: """
            Lists the newest revisions of a document: number, time, user, and how many characters each inserted and \
            deleted.
            """,
        arguments: [
            document,
            Argument(
                name: "limit", type: "integer",
                meaning: WireString(
                    "How many: from 1 to \(ToolCall.mostRevisions); usually \(ToolCall.usualRevisions).")),
        ],
        isReadOnly: true)

    private static let edit = Tool(
        name: "edit_document",
        purpose: """
            Replaces one passage of a document. The passage must occur exactly once in the newest text. Use this tool \
            for small changes, because it keeps what other people write meanwhile, and their carets stay where they are.
            """,
        arguments: [
            document,
            Argument(
                name: "old_text", type: "string",
                meaning: "The passage, exactly as in the document, with enough text around it.",
                isRequired: true),
            Argument(
                name: "new_text", type: "string", meaning: "The text that replaces the passage.",
                isRequired: true),
        ],
        isReadOnly: false)

    private static let write = Tool(
        name: "write_document",
        purpose: """
            Saves a whole new text. Pass the revision that you read as base_revision: the server then merges your \
            changes with what other people changed since that revision. Without base_revision, your text replaces the \
            newest text.
            """,
        arguments: [
            document,
            Argument(name: "text", type: "string", meaning: "The whole new text.", isRequired: true),
            Argument(
                name: "base_revision", type: "integer", meaning: "The revision that your text was made from."),
            Argument(
                name: "create", type: "boolean", meaning: "Creates the document if it does not exist."),
        ],
        isReadOnly: false)

    private static let wait = Tool(
        name: "wait_for_changes",
        purpose: """
            Waits until a document has a newer revision than the one that you know, and returns what changed. Returns \
            without changes after timeout_seconds.
            """,
        arguments: [
            document,
            Argument(
                name: "after_revision", type: "integer", meaning: "The revision that you know.",
                isRequired: true),
            Argument(
                name: "timeout_seconds", type: "integer",
                meaning: WireString(
                    "How long to wait: from 1 to \(ToolCall.mostSeconds); usually \(ToolCall.usualSeconds).")),
        ],
        isReadOnly: true)

    /// Writes the members of the result.
    static func write(to writer: inout JSONWriter) {
        writer.member("tools", tools) { writer, tool in
            writer.beginObject()
            writer.key("name")
            writer.value(word: tool.name)
            writer.member("description", tool.purpose)
            writer.key("inputSchema")
            write(tool.arguments, to: &writer)
            // Nothing is lost by any tool: each old revision can be restored.
            writer.key("annotations")
            writer.beginObject()
            writer.member("readOnlyHint", tool.isReadOnly)
            writer.member("destructiveHint", false)
            writer.endObject()
            writer.endObject()
        }
    }

    private static func write(_ arguments: [Argument], to writer: inout JSONWriter) {
        writer.beginObject()
        writer.member("type", "object" as WireString)
        writer.key("properties")
        writer.beginObject()
        for argument in arguments {
            writer.key(argument.name)
            writer.beginObject()
            writer.key("type")
            writer.value(word: argument.type)
            writer.member("description", argument.meaning)
            writer.endObject()
        }
        writer.endObject()
        writer.member("required", arguments.filter { $0.isRequired }) { $0.value(word: $1.name) }
        writer.member("additionalProperties", false)
        writer.endObject()
    }
}

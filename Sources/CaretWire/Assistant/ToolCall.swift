/// A tool that an assistant calls, with its arguments.
package enum ToolCall: Equatable, Sendable {
    case list(prefix: String)
    case read(name: String, revision: Int?, lines: ToolLines?)
    case history(name: String, limit: Int)
    case edit(name: String, old: String, new: String)
    case write(name: String, text: String, base: Int?, creates: Bool)
    case wait(name: String, after: Int, seconds: Int)
    case notes(NoteToolCall, name: String)

    /// How many revisions `document_history` lists at most, and if the assistant names no number.
    package static let (mostRevisions, usualRevisions) = (100, 20)
    /// The longest that `wait_for_changes` waits.
    package static let mostSeconds = 300
    /// How long it waits if the assistant names no time.
    package static let usualSeconds = 60

    /// Decodes the parameters of a request `tools/call`.
    init(_ parameters: Fields) throws(FieldFault) {
        let name = try parameters.value("name")
        guard name.kind == .string else { throw FieldFault.wrong(name, expected: "a string").inside("name") }
        let tool = name.string
        // `list_documents` needs no arguments, so a program may leave them out.
        if tool.equals("list_documents"), !parameters.has("arguments") {
            self = .list(prefix: "")
            return
        }
        let call = try parameters.object("arguments") { fields throws(FieldFault) in
            try ToolCall(tool, fields)
        }
        guard let call else {
            throw FieldFault(
                field: "name", problem: "is \"\(excerpt(of: tool.raw))\", and there is no such tool",
                byte: name.start)
        }
        self = call
    }

    /// Nil if there is no tool with this name.
    private init?(_ tool: JSONString, _ fields: Fields) throws(FieldFault) {
        if tool.equals("list_documents") {
            self = .list(prefix: try fields.string(optional: "prefix")?.string ?? "")
        } else if tool.equals("read_document") {
            self = .read(
                name: try fields.string("name").string, revision: try fields.integer(optional: "revision"),
                lines: try ToolLines(fields))
        } else if tool.equals("document_history") {
            let limit = try fields.integer(optional: "limit", in: 1...ToolCall.mostRevisions)
            self = .history(
                name: try fields.string("name").string, limit: limit ?? ToolCall.usualRevisions)
        } else if tool.equals("edit_document") {
            self = .edit(
                name: try fields.string("name").string, old: try fields.string("old_text").string,
                new: try fields.string("new_text").string)
        } else if tool.equals("write_document") {
            self = .write(
                name: try fields.string("name").string, text: try fields.string("text").string,
                base: try fields.integer(optional: "base_revision"), creates: try fields.flag("create"))
        } else if tool.equals("wait_for_changes") {
            let seconds = try fields.integer(optional: "timeout_seconds", in: 1...ToolCall.mostSeconds)
            self = .wait(
                name: try fields.string("name").string, after: try fields.integer("after_revision"),
                seconds: seconds ?? ToolCall.usualSeconds)
        } else if let call = try NoteToolCall(tool, fields) {
            self = .notes(call, name: try fields.string("name").string)
        } else {
            return nil
        }
    }
}

/// A part of a text that an assistant reads, in lines that are counted from 1.
package struct ToolLines: Equatable, Sendable {
    package let first: Int
    /// How many lines at most. Nil for all from the first one.
    package let count: Int?

    package init(first: Int, count: Int?) { (self.first, self.count) = (first, count) }

    /// Nil if the assistant reads the whole text.
    init?(_ fields: Fields) throws(FieldFault) {
        let first = try fields.integer(optional: "first_line", in: 1...Limits.integer)
        count = try fields.integer(optional: "lines", in: 1...Limits.integer)
        if first == nil, count == nil { return nil }
        self.first = first ?? 1
    }
}

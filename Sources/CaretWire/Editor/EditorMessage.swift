/// A message from a text editor to `caret pipe`, as docs/editors.md defines it.
package enum EditorMessage: Equatable, Sendable {
    /// The user has changed the text. The editor has made the change after it applied the change with the number `seen`.
    case change(EditorChange, seen: Int)
    /// The editor has applied the change with this number.
    case applied(Int)
    case select([EditorSelection])
    case undo
    case redo
    /// Answer when everything is saved.
    case save

    /// Decodes a line, which has no line end.
    package init(_ line: [UInt8]) throws(EditorMessageFault) {
        self = try Fields.decode(line, orThrow: EditorMessageFault.init) {
            fields throws(EditorMessageFault) in
            do throws(FieldFault) {
                return try EditorMessage(fields)
            } catch {
                throw EditorMessageFault(description: "\(error.field) \(error.problem)")
            }
        }
    }

    private init(_ fields: Fields) throws(FieldFault) {
        let type: EditorWord = try fields.word("type")
        switch type {
        case .change: self = .change(try EditorChange(fields), seen: try fields.integer("seen"))
        case .applied: self = .applied(try fields.integer("number"))
        case .select:
            self = .select(
                try fields.array("selections", atMost: Limits.Announced().selections) {
                    value throws(FieldFault) in try EditorSelection(value)
                })
        case .undo: self = .undo
        case .redo: self = .redo
        case .save: self = .save
        }
    }
}

/// What the user has changed in an editor.
package enum EditorChange: Equatable, Sendable {
    /// Replaces lines by other lines. The lines are counted from 0.
    case lines(first: Int, count: Int, new: [WireString])
    /// Edits in ascending order. Their offsets refer to the text before all of them.
    case edits([WireEdit])

    fileprivate init(_ fields: Fields) throws(FieldFault) {
        if fields.has("edits") {
            self = .edits(try fields.array("edits") { value throws(FieldFault) in try WireEdit(value) })
        } else {
            let new = try fields.array("lines") { value throws(FieldFault) in
                try value.string(atMost: .max, orElse: .badMessage)
            }
            self = .lines(first: try fields.integer("first"), count: try fields.integer("count"), new: new)
        }
    }
}

/// A place in the text of an editor.
package enum EditorPosition: Equatable, Sendable {
    /// A line, and a column in bytes, both counted from 0.
    case line(Int, column: Int)
    case offset(Int)

    fileprivate init(_ value: JSONValue) throws(FieldFault) {
        if value.kind == .array {
            let (line, column) = try value.pair()
            self = .line(line, column: column)
        } else {
            self = .offset(try value.integer(in: 0...Limits.integer))
        }
    }
}

/// A selection in the text of an editor. A selection without text is a caret.
package struct EditorSelection: Equatable, Sendable {
    package let anchor: EditorPosition
    package let head: EditorPosition

    package init(anchor: EditorPosition, head: EditorPosition) { (self.anchor, self.head) = (anchor, head) }

    fileprivate init(_ value: JSONValue) throws(FieldFault) {
        let ends = try value.array(atMost: 2, orElse: .badMessage) { value throws(FieldFault) in
            try EditorPosition(value)
        }
        guard ends.count == 2 else {
            throw FieldFault(
                field: "", problem: "has \(ends.count) positions; expected 2", byte: value.start)
        }
        self.init(anchor: ends[0], head: ends[1])
    }
}

/// The `type` of a message.
private enum EditorWord: String, CaseIterable, WireWord {
    case change, applied, select, undo, redo, save
}

/// Why a message was refused.
package struct EditorMessageFault: Error, Equatable, CustomStringConvertible, Sendable {
    package let description: String
}

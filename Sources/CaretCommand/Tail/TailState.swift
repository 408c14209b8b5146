package import CaretCore

/// A document at one revision. Applies changes, and returns where each edit is and what it replaced.
package struct TailState: Sendable {
    package struct ShownEdit: Equatable, Sendable {
        /// The number of the line in the text before the change. The first line has the number 1.
        let line: Int
        let removed: String
        let inserted: String

        package init(line: Int, removed: String, inserted: String) {
            self.line = line
            self.removed = removed
            self.inserted = inserted
        }
    }

    var name: String
    package private(set) var revision: Revision
    package var text: TextBuffer

    package init(name: String, revision: Revision, text: TextBuffer) {
        (self.name, self.revision, self.text) = (name, revision, text)
    }

    /// Throws if the change does not fit the text.
    package mutating func apply(_ change: Change, making next: Revision) throws -> [ShownEdit] {
        var (line, offset) = (1, Offset(0))
        let shown = try change.edits.map { edit in
            let before = try text.slice(offset..<edit.range.lowerBound)
            line += before.utf8.reduce(0) { $0 + ($1 == UInt8(ascii: "\n") ? 1 : 0) }
            offset = edit.range.lowerBound
            return ShownEdit(line: line, removed: try text.slice(edit.range), inserted: edit.text)
        }
        text = try text.applying(change)
        revision = next
        return shown
    }
}

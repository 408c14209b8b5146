package import CaretCore
package import CaretWire

// Converts edits and selections between this module and the wire, for connections that count in UTF-16.

extension Edit {
    /// Throws if an offset is negative or too large, or if the text has a carriage return. The message
    /// decoder has already refused ranges that end before they start.
    package init(_ edit: WireEdit) throws(TextError) {
        try self.init(Offset(edit.range.start)..<Offset(edit.range.end), edit.text.string)
    }
}

extension [Edit] {
    package init(_ edits: [WireEdit]) throws(TextError) {
        self = []
        reserveCapacity(edits.count)
        for edit in edits { append(try Edit(edit)) }
    }
}

extension WireEdit {
    package init(_ edit: Edit) {
        self.init(
            WireRange(edit.range.lowerBound.value, edit.range.upperBound.value), WireString(edit.text))
    }
}

extension Selection {
    package init(_ selection: WireSelection) {
        self.init(anchor: Offset(selection.anchor), head: Offset(selection.head))
    }
}

extension WireSelection {
    package init(_ selection: Selection) { self.init(selection.anchor.value, selection.head.value) }
}

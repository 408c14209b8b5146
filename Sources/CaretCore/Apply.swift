extension TextBuffer {
    /// Replaces the text in `range` by `string`, which must have no carriage return.
    public mutating func replace(_ range: Range<Offset>, with string: String) throws(TextError) {
        try apply(Edit(range, string))
    }

    /// Applies all edits of `change`. If one edit does not fit the text, throws and applies none.
    public mutating func apply(_ change: Change) throws(ChangeError) {
        if change.edits.count > 1 { try check(change) }
        // Applies the last edit first, so that the offsets of the remaining edits stay valid.
        for index in change.edits.indices.reversed() {
            do throws(TextError) {
                try apply(change.edits[index])
            } catch {
                throw .misplaced(edit: index, error)
            }
        }
    }

    /// The text after `change`.
    public func applying(_ change: Change) throws(ChangeError) -> TextBuffer {
        var text = self
        try text.apply(change)
        return text
    }

    private func check(_ change: Change) throws(ChangeError) {
        for (index, edit) in change.edits.enumerated() {
            if edit.end > length.utf16 {
                throw .misplaced(edit: index, .outside(offset: edit.end, end: length.utf16))
            }
            for offset in [edit.range.lowerBound, edit.range.upperBound] where !isScalarBoundary(offset) {
                throw .misplaced(edit: index, .insideScalar(offset: offset.value))
            }
        }
    }

    /// Applies one edit.
    // Inlined into other modules, because calling it with a whole edit would copy the edit.
    @inlinable public mutating func apply(_ edit: Edit) throws(TextError) {
        try replace(from: edit.start, to: edit.end, edit.text, edit.inserted)
    }

    @usableFromInline mutating func replace(
        from start: Int, to end: Int, _ text: String, _ inserted: TextLength
    ) throws(TextError) {
        if end > length.utf16 { throw .outside(offset: end, end: length.utf16) }
        #if !hasFeature(Embedded)
            // Most edits insert or remove one letter. Such an edit needs no closure with the bytes.
            if inserted.utf8 <= 1 {
                let letter = inserted.utf8 == 0 ? 0 : text.utf8[text.utf8.startIndex]
                if type(letter, inserted.utf8, over: start..<end) { return }
            }
        #endif
        try replace(start..<end, with: text, inserted)
    }

    // Not inlined, so that the method above stays short.
    @inline(never) private mutating func replace(
        _ units: Range<Int>, with text: String, _ inserted: TextLength
    ) throws(TextError) {
        let cut = text.withBytes { replace(units, with: $0, of: inserted) }
        if let cut { throw .insideScalar(offset: cut) }
    }
}

extension Change {
    /// The inverse change: applied to the text after this change, it restores `text`.
    public func inverted(in text: TextBuffer) throws(ChangeError) -> Change {
        var inverse: [Edit] = []
        inverse.reserveCapacity(edits.count)
        var shift = 0
        for (index, edit) in edits.enumerated() {
            do throws(TextError) {
                if edit.end > text.length.utf16 { throw .outside(offset: edit.end, end: text.length.utf16) }
                let old = try text.slice(edit.range)
                let start = edit.start + shift
                inverse.append(Edit(from: start, to: start + edit.inserted.utf16, old, old.textLength))
            } catch {
                throw .misplaced(edit: index, error)
            }
            shift += edit.growth
        }
        return Change(normal: inverse)
    }
}

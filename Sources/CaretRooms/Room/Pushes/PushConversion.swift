package import CaretCore
import CaretLog
package import CaretWire

extension TextBuffer {
    /// The length of the text before an offset. `unit` says what the offset counts.
    func length(before offset: Int, in unit: CodeUnit) throws(TextError) -> TextLength {
        switch unit {
        case .utf8: try length(before: UTF8Offset(offset))
        case .utf16: try length(before: Offset(offset))
        case .scalar: try length(before: ScalarOffset(offset))
        }
    }

    /// Converts pushed edits to a change. This text is the one at the push's base.
    package func change(
        _ edits: [WireEdit], in unit: CodeUnit, at revision: Revision
    ) throws(RequestRefusal) -> Change {
        var result: [Edit] = []
        result.reserveCapacity(edits.count)
        for (index, edit) in edits.enumerated() {
            let start = try length(before: edit.range.start, of: edit, index, unit, revision)
            let end = try length(before: edit.range.end, of: edit, index, unit, revision)
            do throws(TextError) {
                result.append(try Edit(Offset(start.utf16)..<Offset(end.utf16), edit.text.string))
            } catch {
                throw RequestRefusal(
                    .badText,
                    "edit \(index): its text has a carriage return; write each line break as LF")
            }
        }
        do throws(ChangeError) { return try Change(result) } catch {
            throw RequestRefusal(.badEdits, "the edits overlap or are not in ascending order: \(error)")
        }
    }

    private func length(
        before offset: Int, of edit: WireEdit, _ index: Int, _ unit: CodeUnit, _ revision: Revision
    ) throws(RequestRefusal) -> TextLength {
        do throws(TextError) {
            return try length(before: offset, in: unit)
        } catch {
            let range = "edit \(index): range \(edit.range.start)..<\(edit.range.end)"
            let end = length.count(of: unit)
            let problem =
                if case .insideScalar = error {
                    "has offset \(offset) inside a character at revision \(revision.value)"
                } else {
                    "ends past the text's length \(end) at revision \(revision.value)"
                }
            throw RequestRefusal(.badRange, "\(range) \(problem)")
        }
    }

    /// Converts received selections to positions in this text; nil if a selection does not fit the text.
    package func selections(_ selections: [WireSelection], in unit: CodeUnit) -> [Selection]? {
        var result: [Selection] = []
        for selection in selections {
            guard let anchor = try? length(before: selection.anchor, in: unit),
                let head = try? length(before: selection.head, in: unit)
            else { return nil }
            result.append(Selection(anchor: Offset(anchor.utf16), head: Offset(head.utf16)))
        }
        return result
    }

    /// Converts selections in this text for sending, with offsets in the given unit.
    package func wire(_ selections: [Selection], in unit: CodeUnit) -> [WireSelection] {
        selections.map { selection in
            WireSelection(count(selection.anchor, in: unit), count(selection.head, in: unit))
        }
    }

    private func count(_ offset: Offset, in unit: CodeUnit) -> Int {
        if unit == .utf16 { return offset.value }
        guard let length = try? length(before: offset) else {
            preconditionFailure(
                "a selection at \(offset) is outside its text of \(length.utf16) UTF-16 units")
        }
        return length.count(of: unit)
    }
}

extension Change {
    /// The edits as sent to clients, with offsets in the given unit. `old` is the text before the change.
    package func wireEdits(in unit: CodeUnit, before old: TextBuffer) -> [WireEdit] {
        logged(in: old).map { WireEdit($0, in: unit) }
    }
}

extension LoggedChange {
    /// The edits as sent to clients, with offsets in the given unit.
    func wireEdits(in unit: CodeUnit) -> [WireEdit] {
        edits.map { WireEdit($0, in: unit) }
    }

    /// Whether the edits that a client sent in this unit equal the edits of this change.
    func hasEdits(equalTo sent: [WireEdit], in unit: CodeUnit) -> Bool {
        sent.count == edits.count && zip(sent, edits).allSatisfy { $0.equals($1, in: unit) }
    }
}

extension WireEdit {
    fileprivate func equals(_ edit: LoggedEdit, in unit: CodeUnit) -> Bool {
        let start = edit.start.count(of: unit)
        return range == WireRange(start, start + edit.removed.count(of: unit))
            && text == WireString(edit.edit.text)
    }

    init(_ edit: LoggedEdit, in unit: CodeUnit) {
        let start = edit.start.count(of: unit)
        self.init(
            WireRange(start, start + edit.removed.count(of: unit)), WireString(edit.edit.text))
    }
}

/// A pushed whole text, with all its line breaks converted to LF.
package struct NormalText: Equatable, Sendable {
    let text: TextBuffer
    /// The kind of the first line break; nil if there is none.
    let lineBreak: LineBreak?

    init(_ sent: WireString) {
        // The only possible error is a carriage return. So most texts are searched for it only once.
        if let text = try? TextBuffer(sent.string) {
            self.text = text
            lineBreak = sent.withBytes { $0.firstIndex(of: UInt8(ascii: "\n"), from: 0) } == nil ? nil : .lf
            return
        }
        var normal: [UInt8] = []
        normal.reserveCapacity(sent.utf8.count)
        var first: LineBreak?
        var last: UInt8 = 0
        sent.withBytes { bytes in
            for byte in bytes {
                defer { last = byte }
                if byte == UInt8(ascii: "\n"), last == UInt8(ascii: "\r") {
                    // Skip the LF of a CRLF: the CR before it became an LF.
                    if first == nil { first = .crlf }
                    continue
                }
                if last == UInt8(ascii: "\r"), first == nil { first = .lf }
                if byte == UInt8(ascii: "\n"), first == nil { first = .lf }
                normal.append(byte == UInt8(ascii: "\r") ? UInt8(ascii: "\n") : byte)
            }
        }
        lineBreak = first ?? .lf
        text = NormalText.text(String(decoding: normal, as: UTF8.self))
    }

    private static func text(_ string: String) -> TextBuffer {
        guard let text = try? TextBuffer(string) else {
            preconditionFailure("a text is invalid, although it has no carriage return")
        }
        return text
    }
}

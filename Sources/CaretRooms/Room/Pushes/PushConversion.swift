package import CaretCore
import CaretLog
package import CaretWire

extension Text {
    /// The length before an offset, in a unit known only at run time.
    func length(before offset: Int, in unit: CodeUnit) throws(TextError) -> TextLength {
        switch unit {
        case .utf8: try length(before: UTF8Offset(offset))
        case .utf16: try length(before: Offset(offset))
        case .scalar: try length(before: ScalarOffset(offset))
        }
    }

    /// These edits as a change of this text, which is that of the base.
    package func change(
        _ edits: [WireEdit], in unit: CodeUnit, at revision: Revision
    ) throws(RequestRefusal) -> Change {
        var result: [Edit] = []
        result.reserveCapacity(edits.count)
        for (index, edit) in edits.enumerated() {
            let start = try place(edit.range.start, of: edit, index, unit, revision)
            let end = try place(edit.range.end, of: edit, index, unit, revision)
            do throws(TextError) {
                result.append(try Edit(Offset(start.utf16)..<Offset(end.utf16), edit.text.string))
            } catch {
                throw RequestRefusal(
                    .badText,
                    "edit \(index): its text has a carriage return; a line break in an edit is LF")
            }
        }
        do throws(ChangeError) { return try Change(result) } catch {
            throw RequestRefusal(.badEdits, "the edits do not ascend, or overlap: \(error)")
        }
    }

    private func place(
        _ offset: Int, of edit: WireEdit, _ index: Int, _ unit: CodeUnit, _ revision: Revision
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

    /// These selections in this text; nil if one does not fit.
    package func selections(_ selections: [WireSelection], in unit: CodeUnit) -> [Selection]? {
        var result: [Selection] = []
        for selection in selections {
            // The caller knows the message, and reports which offset is wrong.
            guard let anchor = try? length(before: selection.anchor, in: unit),
                let head = try? length(before: selection.head, in: unit)
            else { return nil }
            result.append(Selection(anchor: Offset(anchor.utf16), head: Offset(head.utf16)))
        }
        return result
    }

    /// Selections of this text as sent in a unit.
    package func wire(_ selections: [Selection], in unit: CodeUnit) -> [WireSelection] {
        selections.map { selection in
            WireSelection(count(selection.anchor, in: unit), count(selection.head, in: unit))
        }
    }

    private func count(_ offset: Offset, in unit: CodeUnit) -> Int {
        if unit == .utf16 { return offset.value }
        guard let length = try? length(before: offset) else {
            preconditionFailure("a selection at \(offset) is no place in a text of \(length.utf16) units")
        }
        return length.count(of: unit)
    }
}

extension LoggedChange {
    /// Its edits as sent in a unit.
    func wireEdits(in unit: CodeUnit) -> [WireEdit] {
        edits.map { WireEdit($0, in: unit) }
    }

    /// Whether these edits, sent in a unit, are exactly its own.
    func isSaid(by sent: [WireEdit], in unit: CodeUnit) -> Bool {
        sent.count == edits.count && zip(sent, edits).allSatisfy { $0.says($1, in: unit) }
    }
}

extension WireEdit {
    fileprivate func says(_ edit: LoggedEdit, in unit: CodeUnit) -> Bool {
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

/// A whole text as sent, with the line breaks that the server uses.
package struct NormalText: Equatable, Sendable {
    let text: Text
    /// The kind of the first line break; nil if there is none.
    let lineBreak: LineBreak?

    init(_ sent: WireString) {
        let utf8 = sent.utf8
        guard utf8.contains(UInt8(ascii: "\r")) else {
            lineBreak = utf8.contains(UInt8(ascii: "\n")) ? .lf : nil
            text = NormalText.text(sent.string)
            return
        }
        var normal: [UInt8] = []
        normal.reserveCapacity(utf8.count)
        var first: LineBreak?
        var last: UInt8 = 0
        for byte in utf8 {
            defer { last = byte }
            if byte == UInt8(ascii: "\n"), last == UInt8(ascii: "\r") {
                // This is the first line break, unless an earlier half of it was.
                if first == nil { first = .crlf }
                continue
            }
            if last == UInt8(ascii: "\r"), first == nil { first = .lf }
            if byte == UInt8(ascii: "\n"), first == nil { first = .lf }
            normal.append(byte == UInt8(ascii: "\r") ? UInt8(ascii: "\n") : byte)
        }
        lineBreak = first ?? .lf
        text = NormalText.text(String(decoding: normal, as: UTF8.self))
    }

    private static func text(_ string: String) -> Text {
        guard let text = try? Text(string) else {
            preconditionFailure("a text without carriage returns is none")
        }
        return text
    }
}

import CaretCore
import CaretWire

/// A text as the plainest client keeps it: its code units in the unit that it agreed on.
struct UnitText: Equatable {
    let unit: CodeUnit
    private(set) var units: [UInt32]

    init(_ string: String, in unit: CodeUnit) {
        self.unit = unit
        units =
            switch unit {
            case .utf8: string.utf8.map { UInt32($0) }
            case .utf16: string.utf16.map { UInt32($0) }
            case .scalar: string.unicodeScalars.map(\.value)
            }
    }

    var string: String {
        switch unit {
        case .utf8: String(decoding: units.map { UInt8($0) }, as: UTF8.self)
        case .utf16: String(decoding: units.map { UInt16($0) }, as: UTF16.self)
        case .scalar: String(decoding: units, as: UTF32.self)
        }
    }

    func isBoundary(_ offset: Int) -> Bool {
        guard offset >= 0, offset <= units.count else { return false }
        if offset == units.count { return true }
        return switch unit {
        case .utf8: units[offset] & 0xC0 != 0x80
        case .utf16: units[offset] & 0xFC00 != 0xDC00
        case .scalar: true
        }
    }

    /// Makes the edits, which count this text; false where one has no place.
    mutating func apply(_ edits: [WireEdit]) -> Bool {
        var end = 0
        for edit in edits {
            guard edit.range.start >= end, isBoundary(edit.range.start), isBoundary(edit.range.end) else {
                return false
            }
            end = edit.range.end
        }
        for edit in edits.reversed() {
            units.replaceSubrange(
                edit.range.start..<edit.range.end, with: UnitText(edit.text.string, in: unit).units)
        }
        return true
    }

    /// Where a selection is after these edits, by the formulas of the protocol.
    func mapped(_ selection: WireSelection, through edits: [WireEdit]) -> WireSelection {
        let moves = edits.map { edit in
            Move(
                start: edit.range.start, end: edit.range.end,
                inserted: UnitText(edit.text.string, in: unit).units.count)
        }
        let (low, high) = (min(selection.anchor, selection.head), max(selection.anchor, selection.head))
        let start = moves.reduce(low) { $0 + $1.shift(ofCaretAt: low) }
        if low == high { return WireSelection(start, start) }
        let end = max(start, moves.reduce(high) { $0 + $1.shift(ofEndAt: high) })
        return selection.anchor <= selection.head ? WireSelection(start, end) : WireSelection(end, start)
    }
}

/// An edit as a position needs it.
private struct Move {
    let start: Int
    let end: Int
    let inserted: Int

    func shift(ofCaretAt caret: Int) -> Int {
        start <= caret ? inserted - (min(end, caret) - start) : 0
    }

    func shift(ofEndAt offset: Int) -> Int {
        if start >= offset { return 0 }
        return end < offset ? inserted - (end - start) : -(offset - start)
    }
}

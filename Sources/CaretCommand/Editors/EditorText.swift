package import CaretCore
package import CaretWire

/// The text of an editor, with the positions as this editor counts them.
package struct EditorText {
    /// The text of the document. Its last line end is hidden if the editor counts lines.
    private let text: TextBuffer
    private let unit: EditorUnit
    /// The bytes that the editor shows. Empty if it does not count lines.
    private let shown: [UInt8]
    /// The bytes at which the lines begin.
    private let starts: [Int]

    package struct Fault: Error, Equatable, CustomStringConvertible {
        package let description: String
    }

    package init(_ text: TextBuffer, in unit: EditorUnit) {
        self.text = text
        self.unit = unit
        guard unit == .lines else {
            (shown, starts) = ([], [])
            return
        }
        var bytes = Array(text.string.utf8)
        if bytes.last == lineFeed { bytes.removeLast() }
        shown = bytes
        starts = [0] + bytes.indices.lazy.filter { bytes[$0] == lineFeed }.map { $0 + 1 }
    }

    /// How many bytes the editor hides at the end.
    private var hidden: Int { text.length.utf8 - shown.count }

    // MARK: From the editor

    /// A change in the editor. A document has no carriage returns, so `change` has a stand-in of the same length
    /// for each one. `lineFeeds` replaces the stand-ins in the new text: CR LF and CR become LF.
    package struct Entered: Equatable {
        package let change: Change
        package let lineFeeds: Change
    }

    package func entered(_ change: EditorChange) throws -> Entered {
        switch (change, unit) {
        case (.lines(let first, let count, let new), .lines):
            let bytes = try replacing(first, count, by: new)
            let change = diff(
                from: text, to: try TextBuffer(String(decoding: bytes.map(withStandIn), as: UTF8.self)))
            if !bytes.contains(carriageReturn) { return Entered(change: change, lineFeeds: Change()) }
            return try entered(change, Array(String(decoding: bytes, as: UTF8.self).utf16))
        case (.edits(let edits), .characters), (.edits(let edits), .utf16):
            let ranges = try edits.map { try range($0.range) }
            let change = try Change(
                zip(ranges, edits).map { range, edit in
                    try Edit(range, String(decoding: edit.text.string.utf8.map(withStandIn), as: UTF8.self))
                })
            if !edits.contains(where: { $0.text.string.utf8.contains(carriageReturn) }) {
                return Entered(change: change, lineFeeds: Change())
            }
            _ = try text.applying(change)
            var units = Array(text.string.utf16)
            for (range, edit) in zip(ranges, edits).reversed() {
                units.replaceSubrange(
                    range.lowerBound.value..<range.upperBound.value, with: edit.text.string.utf16)
            }
            return try entered(change, units)
        case (.lines, _): throw Fault(description: "lines needs --positions lines")
        case (.edits, _): throw Fault(description: "edits needs --positions characters or utf16; send lines")
        }
    }

    /// `units` are those of the editor's new text.
    private func entered(_ change: Change, _ units: [UInt16]) throws -> Entered {
        var lineFeeds: [Edit] = []
        var growth = 0
        for edit in change.edits {
            let start = edit.range.lowerBound.value + growth
            for offset in start..<start + edit.inserted.utf16 where units[offset] == UInt16(carriageReturn) {
                let isBeforeLineFeed = offset + 1 < units.count && units[offset + 1] == UInt16(lineFeed)
                lineFeeds.append(
                    try Edit(Offset(offset)..<Offset(offset + 1), isBeforeLineFeed ? "" : "\n"))
            }
            growth += edit.inserted.utf16 - (edit.range.upperBound - edit.range.lowerBound)
        }
        return Entered(change: change, lineFeeds: try Change(lineFeeds))
    }

    package func selection(_ selection: EditorSelection) throws -> Selection {
        try Selection(anchor: offset(selection.anchor), head: offset(selection.head))
    }

    /// The bytes of the new text if `lines` replace some of the shown lines.
    private func replacing(_ first: Int, _ count: Int, by lines: [WireString]) throws -> [UInt8] {
        guard first + count <= starts.count else {
            throw Fault(description: "lines ends at line \(first + count), and the text has \(starts.count)")
        }
        let kept = (before: start(first), after: start(first + count))
        var bytes = Array(shown[..<kept.before])
        // Each line ends with a line feed here, and so does the text before the new lines.
        if first == starts.count { bytes.append(lineFeed) }
        for line in lines {
            bytes += line.utf8
            bytes.append(lineFeed)
        }
        bytes += shown[kept.after...]
        if first + count == starts.count { _ = bytes.popLast() }
        let hidesLineEnd = text.isEmpty || hidden > 0
        // A text that ends with an empty line needs a line end to hide.
        if hidesLineEnd || bytes.last == lineFeed, !bytes.isEmpty { bytes.append(lineFeed) }
        return bytes
    }

    /// The byte at which a line begins, or the end of the text for the line after the last one.
    private func start(_ line: Int) -> Int { line < starts.count ? starts[line] : shown.count }

    private func range(_ range: WireRange) throws -> Range<Offset> {
        try offset(.offset(range.start))..<offset(.offset(range.end))
    }

    private func offset(_ position: EditorPosition) throws -> Offset {
        switch (position, unit) {
        case (.line(let line, let column), .lines):
            guard line < starts.count, starts[line] + column <= end(of: line) else {
                throw Fault(description: "the position [\(line),\(column)] is not in the text")
            }
            return try text.convert(UTF8Offset(starts[line] + column), to: UTF16Unit.self)
        case (.offset(let offset), .characters):
            return try text.convert(ScalarOffset(offset), to: UTF16Unit.self)
        case (.offset(let offset), .utf16): return Offset(offset)
        case (.line, _): throw Fault(description: "a position is a number with --positions \(unit.rawValue)")
        case (.offset, _): throw Fault(description: "a position is [LINE,COLUMN] with --positions lines")
        }
    }

    private func end(of line: Int) -> Int { line + 1 < starts.count ? starts[line + 1] - 1 : shown.count }

    // MARK: To the editor

    /// The text as the editor shows it.
    package var shownText: String { unit == .lines ? String(decoding: shown, as: UTF8.self) : text.string }

    /// A change of the document, as the editor must apply it: the last edit first, so that no edit moves another.
    func json(_ change: Change) throws -> JSON {
        let change = unit == .lines ? try shownChange(change) : change
        return try .list(
            change.edits.reversed().map { edit in
                try .object([
                    "range": .list([json(edit.range.lowerBound), json(edit.range.upperBound)]),
                    "text": .text(edit.text),
                ])
            })
    }

    func json(_ selection: Selection) throws -> JSON {
        try .list([json(selection.anchor), json(selection.head)])
    }

    private func json(_ offset: Offset) throws -> JSON {
        switch unit {
        case .lines:
            let byte = min(try text.convert(offset, to: UTF8Unit.self).value, shown.count)
            let line = starts.indices.partitionPoint { starts[$0] > byte } - 1
            return .list([.number(line), .number(byte - starts[line])])
        case .characters: return .number(try text.convert(offset, to: ScalarUnit.self).value)
        case .utf16: return .number(offset.value)
        }
    }

    /// Converts a change of the document to the change of the text that the editor shows. The two differ
    /// if the change affects the hidden line end.
    private func shownChange(_ change: Change) throws -> Change {
        let new = EditorText(try text.applying(change), in: unit)
        let isUntouched = (change.edits.last?.range.upperBound.value ?? 0) <= text.length.utf16 - hidden
        if isUntouched, hidden == new.hidden { return change }
        return try diff(from: TextBuffer(shownText), to: TextBuffer(new.shownText))
    }
}

private let lineFeed = UInt8(ascii: "\n")
private let carriageReturn = UInt8(ascii: "\r")

private func withStandIn(_ byte: UInt8) -> UInt8 { byte == carriageReturn ? 0x1A : byte }

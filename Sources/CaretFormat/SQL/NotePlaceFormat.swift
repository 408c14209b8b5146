package import CaretCore
package import CaretLog

/// The stored form of a note's place, without its revision: where its words begin and how many units they have, and then
/// the edits of its suggestion, if it has one. Numbers are varints.
package enum NotePlaceFormat {
    package static func encoded(_ place: NotePlace) -> [UInt8] {
        var column = ByteColumn()
        column.append(count: place.words.start.value)
        column.append(count: place.words.end.value - place.words.start.value)
        guard let suggestion = place.suggestion else { return column.bytes }
        column.append(count: suggestion.edits.count)
        for edit in suggestion.edits {
            column.append(count: edit.range.lowerBound.value)
            column.append(count: edit.range.upperBound.value - edit.range.lowerBound.value)
            column.append(count: edit.inserted.utf8)
            column.append(edit.text.utf8)
        }
        return column.bytes
    }

    /// Nil if the bytes are not a place, because the row is damaged.
    package static func decoded(_ bytes: [UInt8], at revision: Revision) -> NotePlace? {
        var reader = ByteColumnReader(bytes[...])
        // Any error here means that the row is damaged.
        guard let words = try? range(&reader) else { return nil }
        let selection = Selection(anchor: words.lowerBound, head: words.upperBound)
        if reader.isAtEnd { return NotePlace(at: revision, selection) }
        guard let change = try? suggestion(&reader), reader.isAtEnd else { return nil }
        return NotePlace(at: revision, selection, suggesting: change)
    }

    private static func suggestion(_ reader: inout ByteColumnReader) throws -> Change {
        var edits: [Edit] = []
        for _ in 0..<(try reader.count(atMost: reader.rest.count)) {
            let range = try range(&reader)
            let bytes = try reader.bytes(reader.count(atMost: reader.rest.count))
            guard let text = String(validating: bytes, as: UTF8.self) else { throw SegmentFault.truncated }
            edits.append(try Edit(range, text))
        }
        return try Change(edits)
    }

    private static func range(_ reader: inout ByteColumnReader) throws -> Range<Offset> {
        let start = try reader.count(atMost: Edit.farthestOffset)
        let length = try reader.count(atMost: Edit.farthestOffset - start)
        return Offset(start)..<Offset(start + length)
    }
}

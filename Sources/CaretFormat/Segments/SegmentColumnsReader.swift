import CaretCore
import CaretLog

/// Reads the changes of a segment from its columns.
struct SegmentColumnsReader {
    private var shapes: ByteColumnReader
    private var authors: RunColumnReader
    private var seqs: RunColumnReader
    private var times: ByteColumnReader
    private var starts: ByteColumnReader
    private var units: RunColumnReader
    private var removed: ByteColumnReader
    private var lengths: ByteColumnReader
    private var text: ByteColumnReader
    private var predictor = SegmentPredictor()
    /// The author of the last change.
    private var author: (number: Int64, pusher: Pusher)?

    /// `columns` must be all columns of the format.
    init(_ columns: [ArraySlice<UInt8>]) {
        shapes = ByteColumnReader(columns[0])
        authors = RunColumnReader(columns[1])
        seqs = RunColumnReader(columns[2])
        times = ByteColumnReader(columns[3])
        starts = ByteColumnReader(columns[4])
        units = RunColumnReader(columns[5])
        removed = ByteColumnReader(columns[6])
        lengths = ByteColumnReader(columns[7])
        text = ByteColumnReader(columns[8])
    }

    /// Reads the next change. `findPusher` finds a pusher by its number.
    mutating func change(
        by findPusher: (Int64) throws(SegmentFault) -> Pusher
    ) throws(SegmentFault) -> LoggedChange {
        let pusher = try pusher(try authors.next(), findPusher)
        let seq = try Self.bounded(seqs.next() + predictor.seq)
        let time = try Self.bounded(times.signed() + predictor.time)
        predictor.record(time: time, seq: seq)
        let shape = try shapes.byte()
        let edits = try shape == SegmentColumns.severalEdits ? severalEdits() : [edit(shape)]
        return LoggedChange(pusher: pusher, seq: seq, time: time, edits: edits)
    }

    private mutating func severalEdits() throws(SegmentFault) -> [LoggedEdit] {
        var edits: [LoggedEdit] = []
        for _ in 0..<(try shapes.count(atMost: Int(Int32.max))) { edits.append(try edit(shapes.byte())) }
        return edits
    }

    private mutating func pusher(
        _ number: Int64, _ findPusher: (Int64) throws(SegmentFault) -> Pusher
    ) throws(SegmentFault) -> Pusher {
        if let author, author.number == number { return author.pusher }
        let pusher = try findPusher(number)
        author = (number, pusher)
        predictor.switchAuthor(to: number)
        return pusher
    }

    /// Checks that every column was read to its end.
    func finish() throws(SegmentFault) {
        let isAtEnd =
            shapes.isAtEnd && authors.isAtEnd && seqs.isAtEnd && times.isAtEnd && starts.isAtEnd
            && units.isAtEnd
            && removed.isAtEnd && lengths.isAtEnd && text.isAtEnd
        if !isAtEnd { throw .trailingBytes }
    }

    private mutating func edit(_ shape: UInt8) throws(SegmentFault) -> LoggedEdit {
        guard let shape = SegmentColumns.Shape(rawValue: shape) else { throw .numberOutOfRange }
        let start = try starts.signed() + predictor.start
        let predicted = predictor.extras
        let position = try Self.length(start, units.next() + predicted.bytes, units.next() + predicted.units)
        var removedLength = TextLength.zero
        if shape.removes {
            removedLength = try Self.length(
                Int64(removed.count(atMost: Int(Int32.max))), units.next(), units.next())
        }
        let edit = try Self.edit(position, removedLength, shape.inserts ? inserted() : "")
        predictor.record(edit)
        return edit
    }

    // `edit`, `length` and `bounded` are static, because their arguments mutate `self`. If they were methods,
    // Swift would copy all columns before each call.
    private static func edit(_ start: TextLength, _ removed: TextLength, _ text: String) throws(SegmentFault)
        -> LoggedEdit
    {
        do throws(TextError) {
            return try LoggedEdit(start: start, removed: removed, text: text)
        } catch {
            throw .invalidText
        }
    }

    private mutating func inserted() throws(SegmentFault) -> String {
        let count = try lengths.count(atMost: Int(Int32.max))
        let bytes = try text.bytes(count)
        // Most edits insert one letter. The general way takes longer than the rest of the edit.
        if let byte = bytes.first, count == 1, byte < 0x80 { return String(UnicodeScalar(byte)) }
        guard let string = String(validating: bytes, as: UTF8.self) else { throw .invalidText }
        return string
    }

    /// A length of `units` UTF-16 units, with the number of bytes minus units, and of units minus scalars.
    private static func length(_ units: Int64, _ extraBytes: Int64, _ extraUnits: Int64) throws(SegmentFault)
        -> TextLength
    {
        guard units >= 0, units <= Int64(Int32.max), extraBytes >= 0, extraBytes <= 2 * units,
            extraUnits >= 0,
            extraUnits <= units
        else { throw .numberOutOfRange }
        return TextLength(utf16: Int(units), extraBytes: Int(extraBytes), extraUnits: Int(extraUnits))
    }

    private static func bounded(_ number: Int64) throws(SegmentFault) -> Int64 {
        guard abs(number) <= DocumentEntry.farthest else { throw .numberOutOfRange }
        return number
    }
}

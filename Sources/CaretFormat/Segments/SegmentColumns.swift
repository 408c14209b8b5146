import CaretCore
import CaretLog

/// The changes of a segment split into columns. Each column has values of one kind, which compress well
/// together.
///
/// docs/storage.md describes each column.
package struct SegmentColumns {
    /// What an edit does. The raw value is stored in the column of shapes.
    enum Shape: UInt8 {
        case insertion = 0
        case removal = 1
        case replacement = 2

        init(_ edit: LoggedEdit) {
            if edit.removed.utf8 == 0 {
                self = .insertion
            } else {
                self = edit.edit.inserted.utf8 == 0 ? .removal : .replacement
            }
        }

        var inserts: Bool { self != .removal }
        var removes: Bool { self != .insertion }
    }

    /// In the column of shapes, this value says that the change does not have exactly one edit. The number of
    /// its edits follows.
    static let severalEdits: UInt8 = 3

    private var shapes = ByteColumn()
    private var authors = RunColumn()
    private var seqs = RunColumn()
    private var times = ByteColumn()
    private var starts = ByteColumn()
    private var units = RunColumn()
    private var removed = ByteColumn()
    private var lengths = ByteColumn()
    private var text = ByteColumn()
    private var predictor = SegmentPredictor()

    package init() {}

    mutating func append(_ change: LoggedChange, author: Int64) {
        predictor.switchAuthor(to: author)
        authors.append(author)
        seqs.append(change.seq - predictor.seq)
        times.append(signed: change.time - predictor.time)
        predictor.record(time: change.time, seq: change.seq)
        if change.edits.count != 1 {
            shapes.append(byte: SegmentColumns.severalEdits)
            shapes.append(count: change.edits.count)
        }
        for edit in change.edits { append(edit) }
    }

    private mutating func append(_ edit: LoggedEdit) {
        let shape = Shape(edit)
        shapes.append(byte: shape.rawValue)
        starts.append(signed: Int64(edit.start.utf16) - predictor.start)
        let predicted = predictor.extras
        units.append(Int64(edit.start.extraBytes) - predicted.bytes)
        units.append(Int64(edit.start.extraUnits) - predicted.units)
        if shape.removes {
            removed.append(count: edit.removed.utf16)
            units.append(Int64(edit.removed.extraBytes))
            units.append(Int64(edit.removed.extraUnits))
        }
        if shape.inserts {
            lengths.append(count: edit.edit.inserted.utf8)
            text.append(edit.edit.text.utf8)
        }
        predictor.record(edit)
    }

    /// Empties the columns, so that they can be used for another segment.
    mutating func removeAll() {
        shapes.removeAll()
        authors.removeAll()
        seqs.removeAll()
        times.removeAll()
        starts.removeAll()
        units.removeAll()
        removed.removeAll()
        lengths.removeAll()
        text.removeAll()
        predictor = SegmentPredictor()
    }

    /// Calls `body` with the bytes of each column, in the order of the format. Call `removeAll` before
    /// appending again.
    mutating func forEachColumn(_ body: ([UInt8]) -> Void) {
        body(shapes.bytes)
        body(authors.finished())
        body(seqs.finished())
        body(times.bytes)
        body(starts.bytes)
        body(units.finished())
        body(removed.bytes)
        body(lengths.bytes)
        body(text.bytes)
    }

    static let count = 9
}

/// Predicts the next change from the earlier changes. The columns store only the difference from the
/// prediction.
struct SegmentPredictor {
    /// The state of one author.
    private struct Author {
        var seq: Int64 = 0
        var start: Int64 = 0
    }

    private(set) var time: Int64 = 0
    /// For the text before the last edit: its UTF-8 bytes minus its UTF-16 units, and its UTF-16 units minus
    /// its scalars.
    private(set) var extras: (bytes: Int64, units: Int64) = (0, 0)
    /// The author of the last change. The author's state is in `current`, because most changes have the same
    /// author as the previous change.
    private var author: Int64?
    private var current = Author()
    private var others: [Int64: Author] = [:]

    /// Makes `next` the author whose seq and start are predicted.
    mutating func switchAuthor(to next: Int64) {
        if next == author { return }
        if let author {
            others[author] = current
            current = others[next] ?? Author()
        }
        author = next
    }

    /// The predicted seq: the author's last seq plus one.
    var seq: Int64 { current.seq + 1 }

    /// The predicted start: the author's caret after their last edit.
    var start: Int64 { current.start }

    mutating func record(time: Int64, seq: Int64) {
        self.time = time
        current.seq = seq
    }

    mutating func record(_ edit: LoggedEdit) {
        extras = (Int64(edit.start.extraBytes), Int64(edit.start.extraUnits))
        current.start = Int64(edit.start.utf16 + edit.edit.inserted.utf16)
    }
}

extension TextLength {
    /// The number of UTF-8 bytes minus the number of UTF-16 units.
    var extraBytes: Int { utf8 - utf16 }
    /// The number of UTF-16 units minus the number of scalars.
    var extraUnits: Int { utf16 - scalars }

    init(utf16: Int, extraBytes: Int, extraUnits: Int) {
        self.init(utf8: utf16 + extraBytes, utf16: utf16, scalars: utf16 - extraUnits)
    }
}

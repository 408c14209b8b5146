import CaretCore
import CaretLog

/// The changes of a segment taken apart into columns, in which like stands beside like and packs well.
///
/// docs/storage.md says what each column holds.
struct SegmentColumns {
    /// What an edit does; the number stands in the column of shapes.
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

    /// In the column of shapes: the change has another number of edits than one, which follows.
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
    private var guess = SegmentGuess()

    mutating func append(_ change: LoggedChange, author: Int64) {
        authors.append(author)
        seqs.append(change.seq - guess.seq(of: author))
        times.append(signed: change.time - guess.time)
        guess.passed(change, of: author)
        if change.edits.count != 1 {
            shapes.append([SegmentColumns.severalEdits])
            shapes.append(count: change.edits.count)
        }
        for edit in change.edits { append(edit, author: author) }
    }

    private mutating func append(_ edit: LoggedEdit, author: Int64) {
        let shape = Shape(edit)
        shapes.append([shape.rawValue])
        starts.append(signed: Int64(edit.start.utf16) - guess.start(of: author))
        let wide = guess.extras
        units.append(Int64(edit.start.extraBytes) - wide.bytes)
        units.append(Int64(edit.start.extraUnits) - wide.units)
        if shape.removes {
            removed.append(count: edit.removed.utf16)
            units.append(Int64(edit.removed.extraBytes))
            units.append(Int64(edit.removed.extraUnits))
        }
        if shape.inserts {
            lengths.append(count: edit.edit.inserted.utf8)
            text.append(edit.edit.text.utf8)
        }
        guess.passed(edit, of: author)
    }

    /// The bytes of all columns, in the order of the format.
    mutating func finished() -> [[UInt8]] {
        [
            shapes.bytes, authors.finished().bytes, seqs.finished().bytes, times.bytes, starts.bytes,
            units.finished().bytes, removed.bytes, lengths.bytes, text.bytes,
        ]
    }

    static let count = 9
}

/// What the next change is likely to be, from those before it: only what differs is written.
struct SegmentGuess {
    private(set) var time: Int64 = 0
    /// The bytes beyond one a UTF-16 unit, and the units beyond one a scalar, in front of the last edit.
    private(set) var extras: (bytes: Int64, units: Int64) = (0, 0)
    private var seqs: [Int64: Int64] = [:]
    private var starts: [Int64: Int64] = [:]

    /// The seq behind the author's last one.
    func seq(of author: Int64) -> Int64 { seqs[author, default: 0] + 1 }

    /// Where the author's last edit left his caret.
    func start(of author: Int64) -> Int64 { starts[author, default: 0] }

    mutating func passed(_ change: LoggedChange, of author: Int64) {
        passed(time: change.time, seq: change.seq, of: author)
    }

    mutating func passed(time: Int64, seq: Int64, of author: Int64) {
        self.time = time
        seqs[author] = seq
    }

    mutating func passed(_ edit: LoggedEdit, of author: Int64) {
        extras = (Int64(edit.start.extraBytes), Int64(edit.start.extraUnits))
        starts[author] = Int64(edit.start.utf16 + edit.edit.inserted.utf16)
    }
}

extension TextLength {
    /// The bytes beyond one a UTF-16 unit.
    var extraBytes: Int { utf8 - utf16 }
    /// The UTF-16 units beyond one a scalar.
    var extraUnits: Int { utf16 - scalars }

    init(utf16: Int, extraBytes: Int, extraUnits: Int) {
        self.init(utf8: utf16 + extraBytes, utf16: utf16, scalars: utf16 - extraUnits)
    }
}

/// A list of edits against one revision, applied completely or not at all.
///
/// The edits are always in normal form: ascending, not overlapping, not touching and not empty. Every offset
/// is a position in the text before the change.
public struct Change: Equatable, Sendable {
    public let edits: [Edit]

    /// The empty change.
    public init() { edits = [] }

    /// Brings `edits` into normal form: joins edits that touch each other. Insertions at the same offset are
    /// joined in the given order.
    ///
    /// Throws `outOfOrder` if an edit begins before the previous one ends.
    public init(_ edits: [Edit]) throws(ChangeError) {
        var normal = NormalForm()
        for (index, edit) in edits.enumerated() {
            if index > 0 && edit.start < edits[index - 1].end { throw .outOfOrder(edit: index) }
            normal.append(edit)
        }
        self = normal.change
    }

    init(normal edits: [Edit]) { self.edits = edits }

    public var isEmpty: Bool { edits.isEmpty }
}

/// Why edits do not form a valid change, or why a change does not fit a text.
public enum ChangeError: Error, Equatable, Sendable {
    /// The edit with this index begins before the previous one ends.
    case outOfOrder(edit: Int)
    /// The range of the edit with this index is not in the text.
    case misplaced(edit: Int, TextError)
}

/// Builds a change in normal form from edits that are appended in ascending order.
struct NormalForm {
    private var edits: [Edit] = []
    /// The last appended edit. `edits` does not contain it yet, because the next edit may touch it.
    private var last: Edit?
    /// The text of `last` if it was joined from several edits; otherwise empty.
    // This is an array of bytes, because appending to strings adds 20 KB to the browser build.
    private var joined: [UInt8] = []

    /// Adds an edit that begins at or after the end of the previous one.
    mutating func append(_ edit: Edit) {
        if edit.removed == 0 && edit.inserted.utf8 == 0 { return }
        guard let last, last.end == edit.start else {
            flush()
            self.last = edit
            return
        }
        self.last = Edit(
            from: last.start, to: edit.end, last.inserted.utf8 == 0 ? edit.text : last.text,
            last.inserted + edit.inserted)
        if last.inserted.utf8 == 0 || edit.inserted.utf8 == 0 { return }
        if joined.isEmpty { last.text.withBytes { joined.append(contentsOf: $0) } }
        edit.text.withBytes { joined.append(contentsOf: $0) }
    }

    mutating func append(from start: Int, to end: Int, _ text: String, _ inserted: TextLength) {
        append(Edit(from: start, to: end, text, inserted))
    }

    /// The change built so far.
    var change: Change {
        mutating get {
            flush()
            return Change(normal: edits)
        }
    }

    private mutating func flush() {
        guard let last else { return }
        if joined.isEmpty {
            edits.append(last)
        } else {
            edits.append(
                Edit(
                    from: last.start, to: last.end, joined.withUnsafeBufferPointer { $0.string },
                    last.inserted))
            joined.removeAll()
        }
        self.last = nil
    }
}

/// Edits against one revision, all or nothing: a change descriptor.
///
/// Always in normal form: ascending, not overlapping, no two touching, none empty. Every offset counts the text
/// before the change.
public struct Change: Equatable, Sendable {
    public let edits: [Edit]

    /// The change that changes nothing.
    public init() { edits = [] }

    /// Brings `edits` into normal form: touching ones, and insertions at one offset, are joined in their order.
    ///
    /// Throws `outOfOrder` where an edit begins before its predecessor ends.
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

/// Why edits are not a change, or a change does not fit a text.
public enum ChangeError: Error, Equatable, Sendable {
    /// This edit begins before the one in front of it ends.
    case outOfOrder(edit: Int)
    /// This edit has no place in the text.
    case misplaced(edit: Int, TextError)
}

/// Collects edits that come in order into a change in normal form.
struct NormalForm {
    private var edits: [Edit] = []
    /// The edit that the next one may touch.
    private var last: Edit?
    /// The text of the last edit where it was joined of several; else none.
    // Bytes, since appending to strings costs the browser build 20 KB.
    private var joined: [UInt8] = []

    /// Adds an edit that begins at or after the end of the one before.
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

    /// The change so far.
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

extension Change {
    /// One change with the same effect as this change followed by `next`. `next` must be made from the text
    /// after this change.
    ///
    /// Throws if `next` cuts a scalar that this change inserted. A composed change can be applied and sent.
    /// Never rebase over a composed change: `rebased(over:tie:)` explains why.
    public func composed(with next: Change) throws(ChangeError) -> Change {
        if next.edits.isEmpty { return self }
        if edits.isEmpty { return next }
        var walk = Composition(first: edits)
        for (index, edit) in next.edits.enumerated() {
            guard walk.pass(to: edit.start, .kept) else {
                throw .misplaced(edit: index, .insideScalar(offset: edit.start))
            }
            walk.insert(edit)
            guard walk.pass(to: edit.end, .removed) else {
                throw .misplaced(edit: index, .insideScalar(offset: edit.end))
            }
        }
        return walk.finished()
    }
}

/// Walks through the text between the two changes, and builds the composed change.
private struct Composition {
    /// What the second change does with the text that the walk passes.
    enum Effect {
        case kept
        case removed
    }

    let first: [Edit]
    private var normal = NormalForm()
    private var position = 0
    /// The index of the current or next edit of `first`, and how much of its inserted text has been passed.
    private var next = 0
    private var used = TextLength.zero
    /// By how much the passed edits of `first` shift the text after them.
    private var shift = 0

    init(first: [Edit]) { self.first = first }

    /// Continues the walk to `target`, and applies `effect` to the text on the way. Returns false if `target`
    /// is inside a scalar that the first change inserted.
    mutating func pass(to target: Int, _ effect: Effect) -> Bool {
        while position < target {
            if next < first.count, first[next].start + shift <= position {
                if !passInserted(to: target, effect) { return false }
            } else {
                let end = next < first.count ? min(target, first[next].start + shift) : target
                if effect == .removed { normal.append(from: position - shift, to: end - shift, "", .zero) }
                position = end
            }
        }
        return true
    }

    /// Adds to the composed change the text that the second change inserts at the current position.
    mutating func insert(_ edit: Edit) {
        let offset = used.utf8 > 0 ? first[next].end : position - shift
        normal.append(from: offset, to: offset, edit.text, edit.inserted)
    }

    mutating func finished() -> Change {
        // This call cannot fail: it passes every inserted text as a whole, so it cuts no scalar.
        _ = pass(to: .max, .kept)
        return normal.change
    }

    private mutating func passInserted(to target: Int, _ effect: Effect) -> Bool {
        let edit = first[next]
        if used.utf8 == 0 { normal.append(from: edit.start, to: edit.end, "", .zero) }
        let rest = edit.inserted.utf16 - used.utf16
        guard let (text, length) = edit.part(after: used, units: min(rest, target - position)) else {
            return false
        }
        if effect == .kept { normal.append(from: edit.end, to: edit.end, text, length) }
        used += length
        position += length.utf16
        if used == edit.inserted {
            shift += edit.growth
            next += 1
            used = .zero
        }
        return true
    }
}

extension Edit {
    /// A piece of the inserted text, and the length of the piece. The piece begins after `used` and has
    /// `units` code units. Returns nil if its end is inside a scalar.
    fileprivate func part(after used: TextLength, units: Int) -> (String, TextLength)? {
        if units == inserted.utf16 { return (text, inserted) }
        return text.withBytes { bytes -> (String, TextLength)? in
            let rest = UTF8Bytes(rebasing: bytes[used.utf8...])
            guard let count = rest.index(after: units, in: .utf16) else { return nil }
            let part = UTF8Bytes(rebasing: rest[..<count])
            return (part.string, part.textLength)
        }
    }
}

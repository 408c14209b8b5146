extension Change {
    /// One change with the same effect as this change followed by `next`, which was made from its result.
    ///
    /// Throws if `next` cuts a scalar that this change inserted. A composed change can be applied and sent,
    /// but never rebase over it: see `rebased(over:tie:)`.
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

/// Walks through the text between the two changes, and collects what both do to the text before the first.
private struct Composition {
    /// What the second change does with the text that the walk passes.
    enum Fate {
        case kept
        case removed
    }

    let first: [Edit]
    private var normal = NormalForm()
    private var position = 0
    /// The current or next edit of `first`, and how much of its text has been passed.
    private var next = 0
    private var used = TextLength.zero
    /// By how much the passed edits of `first` move what follows them.
    private var shift = 0

    init(first: [Edit]) { self.first = first }

    /// Walks on to `target`. Returns false if that is inside a scalar that the first change inserted.
    mutating func pass(to target: Int, _ fate: Fate) -> Bool {
        while position < target {
            if next < first.count, first[next].start + shift <= position {
                if !passInserted(to: target, fate) { return false }
            } else {
                let end = next < first.count ? min(target, first[next].start + shift) : target
                if fate == .removed { normal.append(from: position - shift, to: end - shift, "", .zero) }
                position = end
            }
        }
        return true
    }

    /// Adds the text of an edit of the second change at the current position.
    mutating func insert(_ edit: Edit) {
        let place = used.utf8 > 0 ? first[next].end : position - shift
        normal.append(from: place, to: place, edit.text, edit.inserted)
    }

    mutating func finished() -> Change {
        // After the last edit there are no more inserted scalars to cut.
        _ = pass(to: .max, .kept)
        return normal.change
    }

    private mutating func passInserted(to target: Int, _ fate: Fate) -> Bool {
        let edit = first[next]
        if used.utf8 == 0 { normal.append(from: edit.start, to: edit.end, "", .zero) }
        let rest = edit.inserted.utf16 - used.utf16
        guard let (text, length) = edit.part(after: used, units: min(rest, target - position)) else {
            return false
        }
        if fate == .kept { normal.append(from: edit.end, to: edit.end, text, length) }
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
    /// The next `units` code units of the text after its first part; nil if that would cut a scalar.
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

extension Change {
    /// One change that does what this change and then `next`, made against its outcome, do.
    ///
    /// Throws where `next` cuts a scalar that this change inserted. See `rebased(over:tie:)` for why a composed
    /// change serves to be applied and sent, and never to rebase over.
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

/// A walk through the text between two changes that collects what both do to the text before the first.
private struct Composition {
    /// What the second change does to the text that is passed.
    enum Fate {
        case kept
        case removed
    }

    let first: [Edit]
    private var normal = NormalForm()
    private var position = 0
    /// The edit of `first` that is passed or comes next, and how much of its text was passed.
    private var next = 0
    private var used = TextLength.zero
    /// What the passed edits of `first` moved the text by.
    private var shift = 0

    init(first: [Edit]) { self.first = first }

    /// Goes on to `target`; false where that lies inside a scalar that the first change inserted.
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

    /// Adds the text of an edit of the second change where the walk stands.
    mutating func insert(_ edit: Edit) {
        let place = used.utf8 > 0 ? first[next].end : position - shift
        normal.append(from: place, to: place, edit.text, edit.inserted)
    }

    mutating func finished() -> Change {
        // Nothing lies beyond the last edit, so no scalar can be cut there.
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
    /// The next `units` code units of the text after its first part; nil where that would cut a scalar.
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

/// Decides which of two texts comes first (on the left) if both were inserted at the same offset.
public enum Tie: Sendable {
    /// The other change was committed first. This is the usual case.
    case otherFirst
    /// The rebased change was committed first. A client needs this case to rebase a remote change over its
    /// own unacked change.
    case selfFirst
}

extension Change {
    /// This change, adapted to the text after `other`. Both were made from the same text.
    ///
    /// Law: applying `a` and then `b.rebased(over: a, tie: .otherFirst)` gives the same text as applying `b`
    /// and then `a.rebased(over: b, tie: .selfFirst)`. A removal keeps text that `other` inserted inside the
    /// removed range.
    ///
    /// Always rebase over single revisions, one after the other. Rebasing over their composition can give a
    /// different text: a composed change does not show on which side of a removed letter a text was inserted.
    /// With single revisions, all clients take the same steps and get the same text.
    public func rebased(over other: Change, tie: Tie) -> Change {
        if edits.isEmpty || other.edits.isEmpty { return self }
        var normal = NormalForm()
        var steps = RebaseSteps(other: other.edits)
        for edit in edits {
            steps.pass(endsBefore: edit.start)
            let offset = steps.offset(ofInsertionAt: edit.start, tie: tie)
            normal.append(from: offset, to: offset, edit.text, edit.inserted)
            steps.forEachRemainingPiece(from: edit.start, to: edit.end) { start, end in
                normal.append(from: start, to: end, "", .zero)
            }
        }
        return normal.change
    }

    /// This change, adapted to the text after all of `others`. Each of `others` was made from the text after
    /// the previous one.
    public func rebased(over others: [Change], tie: Tie) -> Change {
        others.reduce(self) { $0.rebased(over: $1, tie: tie) }
    }
}

/// Walks over the edits of the other change, from left to right. The formulas in docs/protocol/transforms.md
/// call the other change B, and its edits (s, e, t).
private struct RebaseSteps {
    let other: [Edit]
    /// How many edits of the other change were passed. The passed edits end before the remaining edits of the
    /// change that is rebased.
    private var passed = 0
    /// By how much the passed edits shift the text after them.
    private var shift = 0

    init(other: [Edit]) { self.other = other }

    mutating func pass(endsBefore start: Int) {
        while passed < other.count, other[passed].end < start {
            shift += other[passed].growth
            passed += 1
        }
    }

    /// The new offset of an insertion at `start`: a + Σ[s ≤ a] (|t| − (min(e,a) − s)). For `selfFirst`, the
    /// sum is over s < a.
    func offset(ofInsertionAt start: Int, tie: Tie) -> Int {
        // At most one of the remaining edits begins at or before `start`, because no two edits touch.
        guard passed < other.count else { return start + shift }
        let next = other[passed]
        let counts =
            switch tie {
            case .otherFirst: next.start <= start
            case .selfFirst: next.start < start
            }
        return counts ? next.start + shift + next.inserted.utf16 + max(0, start - next.end) : start + shift
    }

    /// Calls `body` with each piece between `start` and `end` that `other` did not remove. `body` receives
    /// the start and end of the piece in the text after `other`.
    func forEachRemainingPiece(from start: Int, to end: Int, _ body: (Int, Int) -> Void) {
        var (start, shift) = (start, shift)
        for index in passed..<other.count {
            let next = other[index]
            if start >= end || next.start >= end { break }
            if next.start > start { body(start + shift, next.start + shift) }
            start = max(start, next.end)
            shift += next.growth
        }
        if start < end { body(start + shift, end + shift) }
    }
}

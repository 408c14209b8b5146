/// Which of two texts that were inserted at the same offset comes first, which means left.
public enum Tie: Sendable {
    /// The other change was committed first. This is the usual case.
    case otherFirst
    /// The change that is moved was committed first. A client needs this to move a remote change over its own
    /// unacked one.
    case selfFirst
}

extension Change {
    /// This change, adapted to the text after `other`. Both were made from the same text.
    ///
    /// Law: applying `a` and then `b.rebased(over: a, tie: .otherFirst)` gives the same text as applying `b`
    /// and then `a.rebased(over: b, tie: .selfFirst)`. A removal spares text that `other` inserted inside it.
    ///
    /// Documents are only ever rebased over single revisions, one after the other. Rebasing over their
    /// composition can give another text, because a composed change does not tell on which side of a removed
    /// letter a text was inserted. So all clients rebase in the same steps.
    public func rebased(over other: Change, tie: Tie) -> Change {
        if edits.isEmpty || other.edits.isEmpty { return self }
        var normal = NormalForm()
        var steps = RebaseSteps(other: other.edits)
        for edit in edits {
            steps.pass(endsBefore: edit.start)
            let place = steps.place(ofInsertionAt: edit.start, tie: tie)
            normal.append(from: place, to: place, edit.text, edit.inserted)
            steps.forEachPieceLeft(from: edit.start, to: edit.end) { start, end in
                normal.append(from: start, to: end, "", .zero)
            }
        }
        return normal.change
    }

    /// This change, adapted to the text after all of `others`, each of which follows the one before.
    public func rebased(over others: [Change], tie: Tie) -> Change {
        others.reduce(self) { $0.rebased(over: $1, tie: tie) }
    }
}

/// Walks over the edits that were committed first, from left to right. In the formulas of
/// docs/protocol/transforms.md they are the (s, e, t) of B.
private struct RebaseSteps {
    let other: [Edit]
    /// The edits before this index end before everything that is still to be moved.
    private var passed = 0
    /// By how much the edits before `index` move what follows them.
    private var shift = 0

    init(other: [Edit]) { self.other = other }

    mutating func pass(endsBefore start: Int) {
        while passed < other.count, other[passed].end < start {
            shift += other[passed].growth
            passed += 1
        }
    }

    /// a + Σ[s ≤ a] (|t| − (min(e,a) − s)); with s < a if the insertion was first.
    func place(ofInsertionAt start: Int, tie: Tie) -> Int {
        // At most one edit can begin at or before `start` without ending before it, because no two edits
        // touch.
        guard passed < other.count else { return start + shift }
        let next = other[passed]
        let counts =
            switch tie {
            case .otherFirst: next.start <= start
            case .selfFirst: next.start < start
            }
        return counts ? next.start + shift + next.inserted.utf16 + max(0, start - next.end) : start + shift
    }

    /// Calls `body` with the pieces between `start` and `end` that the edits left, in offsets after the
    /// edits.
    func forEachPieceLeft(from start: Int, to end: Int, _ body: (Int, Int) -> Void) {
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

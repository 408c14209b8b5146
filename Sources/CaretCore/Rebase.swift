/// Which of two texts inserted at the same offset comes first, that is, stays left.
public enum Tie: Sendable {
    /// The other change was committed first: the usual case.
    case otherFirst
    /// The change that moves was committed first: a client moves a remote change over its own unacked one.
    case selfFirst
}

extension Change {
    /// This change as it reads after `other`, which was made against the same text.
    ///
    /// Law: `a` then `b.rebased(over: a, tie: .otherFirst)` gives the text of `b` then
    /// `a.rebased(over: b, tie: .selfFirst)`. A removal spares what `other` inserted strictly inside it.
    ///
    /// A document is only ever rebased over single revisions, one after the other: rebasing over their
    /// composition can give another text, since a composed change no longer tells on which side of a removed
    /// letter a text was inserted. So everybody who follows a log takes its steps.
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

    /// This change as it reads after all of `others`, each of which follows the one before.
    public func rebased(over others: [Change], tie: Tie) -> Change {
        others.reduce(self) { $0.rebased(over: $1, tie: tie) }
    }
}

/// The edits that were committed first, passed from left to right. In the formulas of docs/protocol/transforms.md,
/// these are the (s, e, t) of B.
private struct RebaseSteps {
    let other: [Edit]
    /// Edits before this one end strictly before everything that is still to be moved.
    private var passed = 0
    /// What the passed edits moved the text by.
    private var shift = 0

    init(other: [Edit]) { self.other = other }

    mutating func pass(endsBefore start: Int) {
        while passed < other.count, other[passed].end < start {
            shift += other[passed].growth
            passed += 1
        }
    }

    /// a + Σ[s ≤ a] (|t| − (min(e,a) − s)); with s < a where the insertion was first.
    func place(ofInsertionAt start: Int, tie: Tie) -> Int {
        // Only one edit can begin at or before `start` and not end before it, since no two touch.
        guard passed < other.count else { return start + shift }
        let next = other[passed]
        let counts =
            switch tie {
            case .otherFirst: next.start <= start
            case .selfFirst: next.start < start
            }
        return counts ? next.start + shift + next.inserted.utf16 + max(0, start - next.end) : start + shift
    }

    /// Calls `body` with what the edits left of the text from `start` to `end`, in offsets after them.
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

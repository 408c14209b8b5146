/// Widens the edits of a hunk to grapheme boundaries, and joins edits that must not be separate.
struct EditJoiner {
    private let old: UTF8Bytes
    private let new: UTF8Bytes
    private var oldGraphemes: GraphemeBoundaries
    private var newGraphemes: GraphemeBoundaries

    /// An edit with the counts, in scalars, that decide whether it is joined.
    private struct MeasuredEdit {
        var replacement: Replacement
        var removed: Int
        var inserted: Int
        /// The length of the equal text between the previous edit and this one. For a joined edit, this is
        /// the length before its first part.
        var equalTextBefore: Int
    }

    init(old: UTF8Bytes, new: UTF8Bytes) {
        self.old = old
        self.new = new
        oldGraphemes = GraphemeBoundaries(old)
        newGraphemes = GraphemeBoundaries(new)
    }

    /// The widened and joined form of `edits`. `edits` must be in order and must not touch.
    mutating func joined(_ edits: [Replacement]) -> [Replacement] {
        var result: [MeasuredEdit] = []
        var rest = edits[...]
        while let edit = nextWidenedEdit(&rest) {
            result.append(measured(edit, after: result.last?.replacement.old.upperBound ?? 0))
            // A joined edit is larger, so it may also absorb the equal text before it.
            while result.count > 1, let whole = joined(result[result.count - 2], result[result.count - 1]) {
                result.removeLast(2)
                result.append(whole)
            }
        }
        return result.map { $0.replacement }
    }

    /// Removes the next edit from `rest`, and moves its ends outwards over equal text until they are grapheme
    /// boundaries in both texts. If the end of the edit reaches the following edit, joins these two edits.
    private mutating func nextWidenedEdit(_ rest: inout ArraySlice<Replacement>) -> Replacement? {
        guard var edit = rest.popFirst() else { return nil }
        // Moves the start of the edit back until it is a boundary in both texts. The end of the previous edit
        // is such a boundary, so the loop stops there at the latest.
        while let step = largerDistance(
            edit.old.lowerBound - oldGraphemes.boundary(atOrBefore: edit.old.lowerBound),
            edit.new.lowerBound - newGraphemes.boundary(atOrBefore: edit.new.lowerBound))
        {
            edit.old = edit.old.lowerBound - step..<edit.old.upperBound
            edit.new = edit.new.lowerBound - step..<edit.new.upperBound
        }
        while let step = largerDistance(
            oldGraphemes.boundary(atOrAfter: edit.old.upperBound) - edit.old.upperBound,
            newGraphemes.boundary(atOrAfter: edit.new.upperBound) - edit.new.upperBound)
        {
            var (oldEnd, newEnd) = (edit.old.upperBound + step, edit.new.upperBound + step)
            if let next = rest.first, next.old.lowerBound <= oldEnd {
                (oldEnd, newEnd) = (next.old.upperBound, next.new.upperBound)
                rest.removeFirst()
            }
            edit.old = edit.old.lowerBound..<oldEnd
            edit.new = edit.new.lowerBound..<newEnd
        }
        return edit
    }

    /// The larger of two distances to a boundary; nil if both are 0.
    private func largerDistance(_ one: Int, _ other: Int) -> Int? {
        let larger = max(one, other)
        return larger == 0 ? nil : larger
    }

    private func measured(_ replacement: Replacement, after end: Int) -> MeasuredEdit {
        MeasuredEdit(
            replacement: replacement,
            removed: UTF8Bytes(rebasing: old[replacement.old]).textLength.scalars,
            inserted: UTF8Bytes(rebasing: new[replacement.new]).textLength.scalars,
            equalTextBefore: UTF8Bytes(rebasing: old[end..<replacement.old.lowerBound]).textLength.scalars)
    }

    /// Joins two edits if the equal text between them is short enough to be a coincidence. The equal text
    /// must also be at most as long as the longest text that the two edits remove or insert. Otherwise
    /// returns nil.
    private func joined(_ left: MeasuredEdit, _ right: MeasuredEdit) -> MeasuredEdit? {
        let largest = max(left.removed, left.inserted, right.removed, right.inserted)
        if right.equalTextBefore > min(largest, longestChanceRun) { return nil }
        let (before, after) = (left.replacement, right.replacement)
        return MeasuredEdit(
            replacement: Replacement(
                old: before.old.lowerBound..<after.old.upperBound,
                new: before.new.lowerBound..<after.new.upperBound),
            removed: left.removed + right.equalTextBefore + right.removed,
            inserted: left.inserted + right.equalTextBefore + right.inserted,
            equalTextBefore: left.equalTextBefore)
    }
}

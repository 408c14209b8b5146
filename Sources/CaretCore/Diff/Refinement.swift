extension Replacement {
    /// The separate edits inside a hunk of changed lines, at grapheme boundaries. The rules are in
    /// docs/protocol/transforms.md.
    ///
    /// Sets aside the equal beginning, then the equal end, and compares the rest by scalars.
    func refined(
        from oldText: UTF8Bytes, to newText: UTF8Bytes, _ budget: inout SearchBudget
    ) -> [Replacement] {
        let (oldHunk, newHunk) = (UTF8Bytes(rebasing: oldText[old]), UTF8Bytes(rebasing: newText[new]))
        let head = oldHunk.scalarBoundary(atOrBefore: oldHunk.commonPrefixLength(with: newHunk))
        let oldRest = UTF8Bytes(rebasing: oldHunk[head...])
        let newRest = UTF8Bytes(rebasing: newHunk[head...])
        let tail = oldRest.commonSuffixLength(with: newRest)
        let oldEnd = oldHunk.scalarBoundary(atOrAfter: oldHunk.count - tail)
        let newEnd = newHunk.count - (oldHunk.count - oldEnd)
        if head == oldEnd && head == newEnd { return [] }
        let middle = Replacement(old: head..<oldEnd, new: head..<newEnd)
        let edits =
            middle.old.isEmpty || middle.new.isEmpty
            ? [middle] : middle.splitByScalars(oldHunk, newHunk, &budget)
        var joiner = EditJoiner(old: oldHunk, new: newHunk)
        return joiner.joined(edits).map { $0.moved(by: old.lowerBound, new.lowerBound) }
    }

    private func moved(by oldDistance: Int, _ newDistance: Int) -> Replacement {
        Replacement(
            old: old.lowerBound + oldDistance..<old.upperBound + oldDistance,
            new: new.lowerBound + newDistance..<new.upperBound + newDistance)
    }

    /// The edits between the runs that both texts share. First finds long runs of scalars, then the unchanged
    /// runs of a shortest edit script between these.
    private func splitByScalars(
        _ oldHunk: UTF8Bytes, _ newHunk: UTF8Bytes, _ budget: inout SearchBudget
    ) -> [Replacement] {
        var oldScalars = ScalarList(oldHunk, old)
        var newScalars = ScalarList(newHunk, new)
        var edits: [Replacement] = []
        var (oldEnd, newEnd) = (old.lowerBound, new.lowerBound)
        let known = longRuns(oldScalars.values, newScalars.values)
        for run in commonRuns(oldScalars.values, newScalars.values, around: known, &budget) {
            let (oldRun, newRun) = (
                oldScalars.bytes(of: run.old, run.length), newScalars.bytes(of: run.new, run.length)
            )
            if oldEnd < oldRun.lowerBound || newEnd < newRun.lowerBound {
                edits.append(Replacement(old: oldEnd..<oldRun.lowerBound, new: newEnd..<newRun.lowerBound))
            }
            (oldEnd, newEnd) = (oldRun.upperBound, newRun.upperBound)
        }
        if oldEnd < old.upperBound || newEnd < new.upperBound {
            edits.append(Replacement(old: oldEnd..<old.upperBound, new: newEnd..<new.upperBound))
        }
        return edits
    }
}

/// The scalars in a range of bytes, with their byte positions. Positions must be requested in order.
private struct ScalarList {
    private(set) var values: [UInt32] = []
    private var nextScalar = 0
    private var nextByte: Int

    init(_ bytes: UTF8Bytes, _ range: Range<Int>) {
        nextByte = range.lowerBound
        values.reserveCapacity(range.count)
        var index = range.lowerBound
        while index < range.upperBound {
            values.append(bytes.scalar(at: index).value)
            index += utf8Width(ofScalarWithLead: bytes[index])
        }
    }

    /// The byte range of `length` scalars from index `first`. `first` must not be before the end of the last
    /// request.
    mutating func bytes(of first: Int, _ length: Int) -> Range<Int> {
        advance(to: first)
        let start = nextByte
        advance(to: first + length)
        return start..<nextByte
    }

    private mutating func advance(to index: Int) {
        for value in values[nextScalar..<index] {
            nextByte += value < 0x80 ? 1 : value < 0x800 ? 2 : value < 0x10000 ? 3 : 4
        }
        nextScalar = index
    }
}

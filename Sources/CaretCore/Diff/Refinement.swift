extension Replacement {
    /// The separate edits inside a hunk of changed lines, at grapheme boundaries. The rules are in
    /// docs/protocol/transforms.md.
    ///
    /// Sets aside the equal beginning, then the equal end, and compares the rest by scalars.
    func refined(
        from oldText: UTF8Bytes, to newText: UTF8Bytes, _ work: inout DiffWork
    ) -> [Replacement] {
        let (oldHunk, newHunk) = (UTF8Bytes(rebasing: oldText[old]), UTF8Bytes(rebasing: newText[new]))
        let head = oldHunk.scalarBoundary(atOrBefore: oldHunk.equalHead(with: newHunk))
        let oldRest = UTF8Bytes(rebasing: oldHunk[head...])
        let newRest = UTF8Bytes(rebasing: newHunk[head...])
        let tail = oldRest.equalTail(with: newRest)
        let oldEnd = oldHunk.scalarBoundary(atOrAfter: oldHunk.count - tail)
        let newEnd = newHunk.count - (oldHunk.count - oldEnd)
        if head == oldEnd && head == newEnd { return [] }
        let middle = Replacement(old: head..<oldEnd, new: head..<newEnd)
        let edits =
            middle.old.isEmpty || middle.new.isEmpty
            ? [middle] : middle.splitByScalars(oldHunk, newHunk, &work)
        var joining = EditJoining(old: oldHunk, new: newHunk)
        return joining.joined(edits).map { $0.moved(by: old.lowerBound, new.lowerBound) }
    }

    private func moved(by oldDistance: Int, _ newDistance: Int) -> Replacement {
        Replacement(
            old: old.lowerBound + oldDistance..<old.upperBound + oldDistance,
            new: new.lowerBound + newDistance..<new.upperBound + newDistance)
    }

    /// The edits between the runs that both texts share. First finds long runs of scalars, then the unchanged
    /// runs of a shortest edit script between these.
    private func splitByScalars(
        _ oldHunk: UTF8Bytes, _ newHunk: UTF8Bytes, _ work: inout DiffWork
    ) -> [Replacement] {
        var oldScalars = ScalarList(oldHunk, old)
        var newScalars = ScalarList(newHunk, new)
        var edits: [Replacement] = []
        var (oldEnd, newEnd) = (old.lowerBound, new.lowerBound)
        let known = longRuns(oldScalars.values, newScalars.values)
        for run in commonRuns(oldScalars.values, newScalars.values, around: known, &work) {
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
    private var asked = 0
    private var askedByte: Int

    init(_ bytes: UTF8Bytes, _ range: Range<Int>) {
        askedByte = range.lowerBound
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
        pass(to: first)
        let start = askedByte
        pass(to: first + length)
        return start..<askedByte
    }

    private mutating func pass(to index: Int) {
        for value in values[asked..<index] {
            askedByte += value < 0x80 ? 1 : value < 0x800 ? 2 : value < 0x10000 ? 3 : 4
        }
        asked = index
    }
}

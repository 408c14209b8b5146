/// The hunks of changed lines. A hunk is the text between two lines that both texts share.
func changedLines(from old: UTF8Bytes, to new: UTF8Bytes, _ budget: inout SearchBudget) -> [Replacement] {
    let numbers = LineNumbers(from: old, to: new)
    var hunks: [Replacement] = []
    var (oldEnd, newEnd) = (0, 0)
    func addHunk(to oldStart: Int, _ newStart: Int) {
        if oldEnd < oldStart || newEnd < newStart {
            hunks.append(Replacement(old: oldEnd..<oldStart, new: newEnd..<newStart))
        }
    }
    for run in commonLines(numbers, &budget) {
        for step in 0..<run.length {
            let (oldLine, newLine) = (numbers.oldLines[run.old + step], numbers.newLines[run.new + step])
            addHunk(to: oldLine.lowerBound, newLine.lowerBound)
            (oldEnd, newEnd) = (oldLine.upperBound, newLine.upperBound)
        }
    }
    addHunk(to: old.count, new.count)
    return hunks
}

/// The lines that both texts share. First finds equal lines at both ends, then lines that occur once in each
/// text and in the same order. A search then finds more shared lines between these.
///
/// Why the unique lines are found first: inside a long inserted or removed passage, the search alone would
/// match very common lines, such as a lone brace, that do not belong together.
private func commonLines(_ numbers: LineNumbers, _ budget: inout SearchBudget) -> [CommonRun] {
    let (head, tail) = commonEndLengths(numbers.old, numbers.new)
    let old = Array(numbers.old[head..<numbers.old.count - tail])
    let new = Array(numbers.new[head..<numbers.new.count - tail])
    var runs = [CommonRun(old: 0, new: 0, length: head)]
    for run in commonRuns(old, new, around: longestChain(of: uniquePairs(old, new)), &budget) {
        runs.append(CommonRun(old: head + run.old, new: head + run.new, length: run.length))
    }
    runs.append(CommonRun(old: head + old.count, new: head + new.count, length: tail))
    return runs
}

/// How many line numbers are equal at the start of both lists, and how many of the other line numbers are
/// equal at the end.
private func commonEndLengths(_ old: [UInt32], _ new: [UInt32]) -> (head: Int, tail: Int) {
    let limit = min(old.count, new.count)
    var (head, tail) = (0, 0)
    while head < limit, old[head] == new[head] { head += 1 }
    while tail < limit - head, old[old.count - tail - 1] == new[new.count - tail - 1] { tail += 1 }
    return (head, tail)
}

/// The lines that occur once in each text, in the order of the old text.
private func uniquePairs(_ old: [UInt32], _ new: [UInt32]) -> [CommonRun] {
    let highest = Int(max(old.max() ?? 0, new.max() ?? 0))
    let (unseen, repeated) = (-1, -2)
    var newIndices = [Int](repeating: unseen, count: highest + 1)
    for (index, number) in new.enumerated() {
        newIndices[Int(number)] = newIndices[Int(number)] == unseen ? index : repeated
    }
    var counts = [UInt8](repeating: 0, count: highest + 1)
    for number in old { counts[Int(number)] = min(2, counts[Int(number)] + 1) }
    var pairs: [CommonRun] = []
    for (index, number) in old.enumerated() where counts[Int(number)] == 1 {
        if newIndices[Int(number)] >= 0 {
            pairs.append(CommonRun(old: index, new: newIndices[Int(number)], length: 1))
        }
    }
    return pairs
}

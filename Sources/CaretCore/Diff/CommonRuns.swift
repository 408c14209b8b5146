/// A run of elements that two sequences share.
struct CommonRun {
    var old: Int
    var new: Int
    var length: Int
}

/// The unchanged runs of a shortest edit script, in order. If the sequences differ a lot, the script is only
/// nearly the shortest.
///
/// Uses Myers' greedy search (An O(ND) Difference Algorithm and Its Variations, 1986), forward only. The
/// search is divided into windows, and each window has a largest edit distance. When the search reaches this
/// distance, it keeps the path that got furthest. Then the search starts a new window at the end of that
/// path. So the memory is bounded, and the time is about (distance) × (window) plus the length. When the
/// search reaches its work limit, it treats the rest as different.
private func commonRuns(
    _ old: UnsafeBufferPointer<UInt32>, _ new: UnsafeBufferPointer<UInt32>, _ budget: inout SearchBudget
) -> [CommonRun] {
    if old.isEmpty || new.isEmpty { return [] }
    let elements = old.count + new.count
    var search = CommonRunSearch(old: old, new: new, steps: elements + budget.steps)
    // The next search uses the same memory again.
    swap(&search.reached, &budget.reached)
    while search.runWindow() {}
    swap(&search.reached, &budget.reached)
    // This search got one extra step for each element. Extra steps that it did not use are not passed on to
    // the next search.
    budget.steps = min(budget.steps, max(0, search.stepsLeft))
    return search.runs
}

/// The longest list of pairs that is in order in both texts. `pairs` must be in the order of the old text.
func longestChain(of pairs: [CommonRun]) -> [CommonRun] {
    // Patience sorting: of all pairs that can end a list of n + 1 pairs, `piles[n]` is the earliest in the
    // new text.
    var piles: [Int] = []
    var before = [Int](repeating: -1, count: pairs.count)
    for (index, pair) in pairs.enumerated() {
        var (low, high) = (0, piles.count)
        // Usually a pair also comes after all earlier pairs in the new text. Then no binary search is needed.
        if let last = piles.last, pairs[last].new < pair.new { low = high }
        while low < high {
            let middle = (low + high) / 2
            if pairs[piles[middle]].new < pair.new { low = middle + 1 } else { high = middle }
        }
        if low > 0 { before[index] = piles[low - 1] }
        if low == piles.count { piles.append(index) } else { piles[low] = index }
    }
    var list: [CommonRun] = []
    var index = piles.last ?? -1
    while index >= 0 {
        list.append(pairs[index])
        index = before[index]
    }
    list.reverse()
    return list
}

/// The `known` runs and the runs that a search finds between them, in order.
func commonRuns(
    _ old: [UInt32], _ new: [UInt32], around known: [CommonRun], _ budget: inout SearchBudget
) -> [CommonRun] {
    old.withUnsafeBufferPointer { old in
        new.withUnsafeBufferPointer { new in
            var runs: [CommonRun] = []
            var (oldStart, newStart) = (0, 0)
            for index in 0...known.count {
                let end = CommonRun(old: old.count, new: new.count, length: 0)
                let run = index < known.count ? known[index] : end
                let found = commonRuns(
                    UnsafeBufferPointer(rebasing: old[oldStart..<run.old]),
                    UnsafeBufferPointer(rebasing: new[newStart..<run.new]), &budget)
                for run in found {
                    runs.append(
                        CommonRun(old: oldStart + run.old, new: newStart + run.new, length: run.length))
                }
                if run.length > 0 { runs.append(run) }
                (oldStart, newStart) = (run.old + run.length, run.new + run.length)
            }
            return runs
        }
    }
}

/// How many steps the searches of one diff may take, in addition to one step for each element of their
/// sequences.
struct SearchBudget {
    fileprivate(set) var steps: Int
    /// The memory of the searches. See `CommonRunSearch.reached`.
    fileprivate var reached: [Int32] = []

    /// Allows enough steps to find a few hundred inserted or removed letters or lines anywhere.
    init(bytes: Int) { steps = 600_000 + bytes }
}

private struct CommonRunSearch {
    /// The largest edit distance within one window.
    private static let window = 1024
    // Twice this number must fit in 32 bits, because an Int in the browser has 32 bits.
    private static let unreached: Int32 = -0x2000_0000

    let old: UnsafeBufferPointer<UInt32>
    let new: UnsafeBufferPointer<UInt32>
    private(set) var runs: [CommonRun] = []
    private var oldStart = 0
    private var newStart = 0
    /// The columns of the last row that a path may have reached. The next row needs no other columns, and one
    /// more at the end.
    private var columns = 0..<0
    /// How many more steps the search may take.
    private(set) var stepsLeft: Int
    /// A triangle with one row for each distance. A row says how far each diagonal got in the old sequence.
    /// The row of `distance` has the diagonals -distance, -distance + 2, …, distance. Each row also has one
    /// entry before its diagonals and one after them. No path ever reaches these two entries.
    var reached: [Int32] = []

    init(old: UnsafeBufferPointer<UInt32>, new: UnsafeBufferPointer<UInt32>, steps: Int) {
        self.old = old
        self.new = new
        stepsLeft = steps
    }

    /// Finds the path through the next window. Returns false when one sequence is finished, or when no steps
    /// are left.
    mutating func runWindow() -> Bool {
        if oldStart == old.count || newStart == new.count || stepsLeft <= 0 { return false }
        columns = 0..<0
        var distance = 0
        var end = fillRow(distance)
        while end == nil, distance < CommonRunSearch.window, stepsLeft > 0 {
            distance += 1
            end = fillRow(distance)
        }
        keepPath(to: end ?? furthestColumn(ofRow: distance), ofRow: distance)
        return end == nil
    }

    /// Fills the row of `distance`. Returns the column of the diagonal that reached the end of both
    /// sequences, if any.
    private mutating func fillRow(_ distance: Int) -> Int? {
        let row = CommonRunSearch.row(distance)
        let missing = row + distance + 2 - reached.count
        if missing > 0 {
            let more = max(missing, reached.count + 1024)
            reached.append(contentsOf: repeatElement(CommonRunSearch.unreached, count: more))
        }
        let (oldCount, newCount) = (old.count - oldStart, new.count - newStart)
        let first = max(columns.lowerBound, (distance - newCount + 1) / 2)
        columns = first..<max(first, min(columns.upperBound, (distance + oldCount) / 2) + 1)
        startRow(distance)
        // The diagonals up to the one in `middle` leave the new sequence first. The others leave the old
        // one first. So one comparison shows whether a diagonal is still inside both.
        let middle = (distance + oldCount - newCount) >> 1
        let split = min(max(columns.lowerBound, middle + 1), columns.upperBound)
        let limit = newCount + 2 * columns.lowerBound - distance
        extend(columns.lowerBound..<split, of: distance, limit: limit, growth: 2)
        if split > columns.lowerBound, 2 * (split - 1) - distance == oldCount - newCount,
            Int(reached[row + split - 1]) == oldCount
        {
            return split - 1
        }
        extend(split..<columns.upperBound, of: distance, limit: oldCount, growth: 0)
        while let last = columns.last, reached[row + last] < 0 { columns.removeLast() }
        while let first = columns.first, reached[row + first] < 0 { columns.removeFirst() }
        return nil
    }

    /// Fills a row with the positions at which its diagonals are reached from the row above.
    private mutating func startRow(_ distance: Int) {
        let (row, above) = (CommonRunSearch.row(distance), CommonRunSearch.row(distance - 1))
        let columns = columns
        reached.withUnsafeMutableBufferPointer { reached in
            // The next row also reads the entries beside the columns.
            reached[row + columns.lowerBound - 1] = CommonRunSearch.unreached
            reached[row + columns.upperBound] = CommonRunSearch.unreached
            if distance == 0 { reached[row] = 0 }
            for column in distance == 0 ? 0..<0 : columns {
                let (same, below) = (reached[above &+ column], reached[above &+ column &- 1])
                reached[row &+ column] = max(same, below &+ 1)
            }
        }
    }

    /// Moves along diagonals while the elements are equal. `limit` is where the first diagonal leaves one
    /// of the sequences. It grows by `growth` from each diagonal to the next.
    private mutating func extend(_ columns: Range<Int>, of distance: Int, limit: Int, growth: Int) {
        let oldRest = UnsafeBufferPointer(rebasing: old[oldStart...])
        let newRest = UnsafeBufferPointer(rebasing: new[newStart...])
        let row = CommonRunSearch.row(distance)
        stepsLeft = reached.withUnsafeMutableBufferPointer { reached in
            // This loop takes most of the time of a diff.
            var (left, limit, column) = (stepsLeft, limit, columns.lowerBound)
            var diagonal = 2 * column - distance
            while column < columns.upperBound {
                let start = Int(reached[row &+ column])
                // A negative start is a large number without a sign.
                if left <= 0 || UInt(bitPattern: start) > UInt(bitPattern: limit) {
                    reached[row &+ column] = CommonRunSearch.unreached
                } else {
                    left &-= 1
                    if start < limit, oldRest[start] == newRest[start &- diagonal] {
                        var x = start &+ 1
                        while x < limit, oldRest[x] == newRest[x &- diagonal] { x &+= 1 }
                        reached[row &+ column] = Int32(truncatingIfNeeded: x)
                        left &-= x &- start
                    }
                }
                limit &+= growth
                column &+= 1
                diagonal &+= 2
            }
            return left
        }
    }

    /// The index of a row's first diagonal in `reached`.
    private static func row(_ distance: Int) -> Int { distance * (distance + 5) / 2 + 1 }

    /// A path reaches a diagonal by an insertion from the diagonal above, or by a removal from the diagonal
    /// below. The search uses the path that got further.
    private func comesFromAbove(_ distance: Int, _ column: Int) -> Bool {
        let row = CommonRunSearch.row(distance - 1)
        return reached[row + column - 1] < reached[row + column]
    }

    private func entry(_ distance: Int, _ column: Int) -> Int {
        if distance == 0 { return 0 }
        let row = CommonRunSearch.row(distance - 1)
        return Int(max(reached[row + column], reached[row + column - 1] + 1))
    }

    private func furthestColumn(ofRow distance: Int) -> Int {
        let row = CommonRunSearch.row(distance)
        var (best, bestSum) = (0, Int.min)
        for column in columns {
            // The elements passed in both sequences together: x + y = 2x − diagonal.
            let sum = 2 * Int(reached[row + column]) - (2 * column - distance)
            if sum > bestSum { (best, bestSum) = (column, sum) }
        }
        return best
    }

    /// Stores the runs on the path that leads to a column, and starts a new window at the end of that path.
    private mutating func keepPath(to column: Int, ofRow distance: Int) {
        var column = column
        let firstOfPath = runs.count
        let oldEnd = Int(reached[CommonRunSearch.row(distance) + column])
        let newEnd = oldEnd - (2 * column - distance)
        var distance = distance
        while distance >= 0 {
            let start = entry(distance, column)
            let length = Int(reached[CommonRunSearch.row(distance) + column]) - start
            let diagonal = 2 * column - distance
            if length > 0 {
                runs.append(
                    CommonRun(old: oldStart + start, new: newStart + start - diagonal, length: length))
            }
            if distance > 0, !comesFromAbove(distance, column) { column -= 1 }
            distance -= 1
        }
        // The path was followed from its end to its start.
        var (low, high) = (firstOfPath, runs.count - 1)
        while low < high {
            runs.swapAt(low, high)
            (low, high) = (low + 1, high - 1)
        }
        oldStart += oldEnd
        newStart += newEnd
    }
}

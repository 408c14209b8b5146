/// The simplest fast text buffer, for comparison: UTF-16 in one block, with a gap at the last edit.
///
/// It counts in one unit only and has no snapshots. It moves text whenever an edit is at another position.
struct GapBuffer: ~Copyable {
    private var block: UnsafeMutablePointer<UInt16>
    private var capacity: Int
    private var gapStart = 0
    private var gapEnd: Int

    init(_ units: [UInt16], room: Int) {
        capacity = units.count + room
        block = .allocate(capacity: capacity)
        gapEnd = room
        for (index, unit) in units.enumerated() { block[room + index] = unit }
    }

    deinit { block.deallocate() }

    var count: Int { capacity - (gapEnd - gapStart) }

    mutating func replace(_ start: Int, _ removed: Int, _ units: UnsafeBufferPointer<UInt16>) {
        moveGap(to: start)
        gapEnd += removed
        precondition(gapEnd - gapStart >= units.count, "the edit needs more space than the gap buffer has")
        if let source = units.baseAddress { (block + gapStart).update(from: source, count: units.count) }
        gapStart += units.count
    }

    private mutating func moveGap(to start: Int) {
        if start < gapStart {
            let moved = gapStart - start
            (block + gapEnd - moved).update(from: block + start, count: moved)
            gapEnd -= moved
        } else if start > gapStart {
            let moved = start - gapStart
            (block + gapStart).update(from: block + gapEnd, count: moved)
            gapEnd += moved
        }
        gapStart = start
    }
}

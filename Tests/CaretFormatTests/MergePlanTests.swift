import CaretCore
import CaretFormat
import TestSupport
import Testing

@Suite("Which segments are merged") struct MergePlanTests {
    @Test("a growing history has few segments, and revisions are merged rarely")
    func growing() {
        for seed in Seeds.first(20) {
            var random = Seeded(seed)
            var history = SimulatedHistory()
            let (most, bytes) = (random.number(1...40), random.number(1...60))
            for _ in 0..<6000 {
                history.append(changes: random.number(1...most), bytes: bytes)
                history.merge(isIdle: false)
            }
            let whole = history.summaries.count {
                $0.changes >= MergePlan.mostChanges / 2 || $0.bytes >= MergePlan.mostBytes / 2
            }
            #expect(
                history.summaries.count < 64 + 16 + 2 * 16 + whole,
                "seed \(seed): \(history.summaries.map(\.changes))")
            #expect(history.packings <= 5 * history.revisions, "seed \(seed)")
            #expect(history.summaries.allSatisfy { $0.changes <= MergePlan.mostChanges }, "seed \(seed)")
        }
    }

    @Test(
        "even a few segments before a snapshot are merged"
    )
    func snapshots() {
        var history = SimulatedHistory()
        for round in 1...20_000 {
            history.append(changes: 1, bytes: 30)
            let snapshot = Revision(round / 257 * 257)
            history.merge(isIdle: false, after: snapshot)
            let rest = history.summaries.count { $0.isUnmerged && $0.last <= snapshot }
            #expect(rest < 16, "\(rest) unmerged segments before the snapshot at \(snapshot)")
        }
        #expect(history.summaries.count < 64 + 4 * 16 + 2, "\(history.summaries.map(\.changes))")
        #expect(history.packings <= 5 * history.revisions)
    }

    @Test("a large segment is compressed alone, and merges respect the limit")
    func large() {
        var history = SimulatedHistory()
        for round in 0..<200 {
            history.append(changes: 3, bytes: MergePlan.mostBytes * (1 + round % 4))
            history.merge(isIdle: false)
        }
        #expect(history.summaries.filter(\.isUnmerged).count < 64)
        #expect(history.summaries.allSatisfy { $0.changes == 3 || $0.bytes <= MergePlan.mostBytes })
        #expect(history.packings <= 3 * history.revisions)
    }

    @Test("a few segments are merged only when the document is idle")
    func idle() {
        var history = SimulatedHistory()
        for _ in 0..<10 { history.append(changes: 1, bytes: 20) }
        #expect(MergePlan.next(history.summaries, after: 0, isIdle: false) == nil)
        history.merge(isIdle: true)
        #expect(history.summaries.map(\.changes) == [10])
        #expect(MergePlan.next(history.summaries, after: 0, isIdle: true) == nil)
    }

    /// The size of one segment.
    private struct Size {
        var changes = 1
        var bytes = 100
        var isUnmerged = true
    }

    /// The indexes of the segments that are merged next; nil if no merge is due. `snapshot` is the number of
    /// segments before the newest snapshot.
    private func due(_ sizes: [Size], snapshot: Int = 0, isIdle: Bool = false) -> Range<Int>? {
        var (summaries, last) = ([SegmentSummary](), 0)
        for size in sizes {
            summaries.append(
                SegmentSummary(
                    first: Revision(last + 1), last: Revision(last + size.changes),
                    bytes: size.bytes, isUnmerged: size.isUnmerged))
            last += size.changes
        }
        let newest = snapshot == 0 ? 0 : summaries[snapshot - 1].last
        return MergePlan.next(summaries, after: newest, isIdle: isIdle)?.indices
    }

    @Test("a merge is due once there are enough segments, and not before")
    func limits() {
        let merged = Size(isUnmerged: false)
        for (most, beyond, size, isIdle) in [
            (63, 64, Size(), false), (3, 4, Size(), true), (15, 16, merged, false), (3, 4, merged, true),
        ] {
            #expect(due(Array(repeating: size, count: most), isIdle: isIdle) == nil, "\(size)")
            #expect(due(Array(repeating: size, count: beyond), isIdle: isIdle) == 0..<beyond, "\(size)")
        }
        // Before the newest snapshot, two unmerged segments are enough.
        for (snapshot, range) in [(0, nil), (1, nil), (2, 0..<2)] as [(Int, Range<Int>?)] {
            #expect(due([Size(), Size(), Size()], snapshot: snapshot) == range, "\(snapshot)")
        }
        let many = Array(repeating: Size(), count: 600)
        #expect(due(many, snapshot: 600) == 0..<512)
        // The first segments that fit are merged, even if more of the last segments would fit.
        let large = Array(repeating: Size(changes: MergePlan.mostChanges / 2), count: 4)
        #expect(due(large + many, snapshot: 604) == 0..<2)
        // A merged segment that is at least half full is never merged again.
        let whole = Size(changes: MergePlan.mostChanges / 2, isUnmerged: false)
        #expect(due(Array(repeating: whole, count: 20)) == nil)
    }

    @Test("a lone unmerged segment is compressed only if it is at least half full")
    func halfFull() {
        let (changes, bytes) = (MergePlan.mostChanges / 2, MergePlan.mostBytes / 2)
        for (size, isDue) in [
            (Size(changes: changes), true), (Size(changes: changes - 1), false), (Size(bytes: bytes), true),
            (Size(bytes: bytes - 1), false), (Size(bytes: bytes, isUnmerged: false), false),
        ] {
            #expect(due([size], snapshot: 1) == (isDue ? 0..<1 : nil), "\(size)")
        }
        // Two half-full segments fit exactly into one. One more byte or change does not fit.
        for half in [Size(changes: changes), Size(bytes: bytes), Size(changes: changes, bytes: bytes)] {
            #expect(due([half, half], snapshot: 2) == 0..<2, "\(half)")
            #expect(due([half, half, Size(bytes: 1)], snapshot: 3) == 0..<2, "\(half)")
        }
    }

    @Test("segments merge again only if none is larger than the others together")
    func similarSizes() {
        let small = Array(repeating: Size(changes: 10, isUnmerged: false), count: 15)
        for (changes, range) in [(150, 0..<16), (151, nil)] as [(Int, Range<Int>?)] {
            #expect(due(small + [Size(changes: changes, isUnmerged: false)]) == range)
        }
    }

    @Test(
        "16 merged segments of one size are merged again, and 15 are not", arguments: [15, 16, 17])
    func fanOut(count: Int) {
        let summaries = (0..<count).map { index in
            SegmentSummary(
                first: Revision(10 * index + 1), last: Revision(10 * index + 10),
                bytes: 100,
                isUnmerged: false)
        }
        let due = MergePlan.next(summaries, after: 0, isIdle: false)
        #expect(due?.count == (count < 16 ? nil : 16))
    }
}

/// A history of segments without content.
private struct SimulatedHistory {
    private(set) var summaries: [SegmentSummary] = []
    private(set) var packings = 0

    var revisions: Int { summaries.last?.last.value ?? 0 }

    mutating func append(changes: Int, bytes: Int) {
        add(
            from: revisions + 1, through: revisions + changes, bytes: bytes, isUnmerged: true,
            at: summaries.count)
    }

    /// Does all merges that are due. Compression is assumed to reduce the bytes to a third.
    mutating func merge(isIdle: Bool, after snapshot: Revision = 0) {
        while let due = MergePlan.next(summaries, after: snapshot, isIdle: isIdle), let first = due.first,
            let last = due.last
        {
            packings += last.last.value - first.first.value + 1
            let bytes = due.reduce(0) { $0 + ($1.isUnmerged ? max($1.bytes / 3, 1) : $1.bytes) }
            summaries.removeSubrange(due.indices)
            add(
                from: first.first.value, through: last.last.value, bytes: bytes, isUnmerged: false,
                at: due.startIndex)
        }
    }

    private mutating func add(from first: Int, through last: Int, bytes: Int, isUnmerged: Bool, at index: Int)
    {
        let summary = SegmentSummary(
            first: Revision(first), last: Revision(last), bytes: bytes, isUnmerged: isUnmerged)
        summaries.insert(summary, at: index)
    }
}

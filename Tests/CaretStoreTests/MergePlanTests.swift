import CaretCore
import CaretStore
import TestSupport
import Testing

@Suite("Which segments are merged") struct MergePlanTests {
    @Test("a growing history has few segments, and revisions are merged rarely")
    func growing() {
        for seed in Seeds.first(20) {
            var random = Seeded(seed)
            var history = Growing()
            let (most, bytes) = (random.number(1...40), random.number(1...60))
            for _ in 0..<6000 {
                history.append(changes: random.number(1...most), bytes: bytes)
                history.merge(isIdle: false)
            }
            let whole = history.places.count {
                $0.changes >= MergePlan.mostChanges / 2 || $0.bytes >= MergePlan.mostBytes / 2
            }
            #expect(
                history.places.count < 64 + 16 + 2 * 16 + whole,
                "seed \(seed): \(history.places.map(\.changes))")
            #expect(history.packings <= 5 * history.revisions, "seed \(seed)")
            #expect(history.places.allSatisfy { $0.changes <= MergePlan.mostChanges }, "seed \(seed)")
        }
    }

    @Test(
        "segments before a snapshot are merged without waiting for others"
    )
    func snapshots() {
        var history = Growing()
        for round in 1...20_000 {
            history.append(changes: 1, bytes: 30)
            let snapshot = Revision(round / 257 * 257)
            history.merge(isIdle: false, behind: snapshot)
            let rest = history.places.count { $0.isLoose && $0.last <= snapshot }
            #expect(rest < 16, "\(rest) loose ones in front of the snapshot at \(snapshot)")
        }
        #expect(history.places.count < 64 + 4 * 16 + 2, "\(history.places.map(\.changes))")
        #expect(history.packings <= 5 * history.revisions)
    }

    @Test("large segments are packed alone, and merged only up to the limit")
    func large() {
        var history = Growing()
        for round in 0..<200 {
            history.append(changes: 3, bytes: MergePlan.mostBytes * (1 + round % 4))
            history.merge(isIdle: false)
        }
        #expect(history.places.filter(\.isLoose).count < 64)
        #expect(history.places.allSatisfy { $0.changes == 3 || $0.bytes <= MergePlan.mostBytes })
        #expect(history.packings <= 3 * history.revisions)
    }

    @Test("a few segments are merged only when the document is idle")
    func idle() {
        var history = Growing()
        for _ in 0..<10 { history.append(changes: 1, bytes: 20) }
        #expect(MergePlan.next(history.places, behind: 0, isIdle: false) == nil)
        history.merge(isIdle: true)
        #expect(history.places.map(\.changes) == [10])
        #expect(MergePlan.next(history.places, behind: 0, isIdle: true) == nil)
    }

    @Test(
        "16 merged segments of one size are merged again, and 15 are not", arguments: [15, 16, 17])
    func fanOut(count: Int) {
        let places = (0..<count).map { index in
            SegmentPlace(
                row: Int64(index), first: Revision(10 * index + 1), last: Revision(10 * index + 10),
                bytes: 100,
                isLoose: false)
        }
        let due = MergePlan.next(places, behind: 0, isIdle: false)
        #expect(due?.count == (count < 16 ? nil : 16))
    }
}

/// A history of segments without content.
private struct Growing {
    private(set) var places: [SegmentPlace] = []
    private(set) var packings = 0
    private var rows: Int64 = 0

    var revisions: Int { places.last?.last.value ?? 0 }

    mutating func append(changes: Int, bytes: Int) {
        add(from: revisions + 1, through: revisions + changes, bytes: bytes, isLoose: true, at: places.count)
    }

    /// Merges everything that is due. Compression makes the bytes a third.
    mutating func merge(isIdle: Bool, behind snapshot: Revision = 0) {
        while let due = MergePlan.next(places, behind: snapshot, isIdle: isIdle), let first = due.first,
            let last = due.last
        {
            packings += last.last.value - first.first.value + 1
            let bytes = due.reduce(0) { $0 + ($1.isLoose ? max($1.bytes / 3, 1) : $1.bytes) }
            places.removeSubrange(due.indices)
            add(
                from: first.first.value, through: last.last.value, bytes: bytes, isLoose: false,
                at: due.startIndex)
        }
    }

    private mutating func add(from first: Int, through last: Int, bytes: Int, isLoose: Bool, at index: Int) {
        rows += 1
        let place = SegmentPlace(
            row: rows, first: Revision(first), last: Revision(last), bytes: bytes, isLoose: isLoose)
        places.insert(place, at: index)
    }
}

import CaretCore
import CaretLog
import CaretRooms
import CaretWire
import TestSupport
import Testing

@Suite("Expensive pushes") struct RoomWorkTests {
    private let long = String(repeating: "line\n", count: 4_000)

    /// Runs `steps`. Returns how many changes the room computed in the background during these steps.
    private func computations(in world: inout RoomWorld, _ steps: (inout RoomWorld) throws -> Void) rethrows
        -> Int
    {
        let holds = world.holds
        var count = 0
        world.holds = { action in
            if action.isCompute { count += 1 }
            return holds(action)
        }
        try steps(&world)
        world.holds = holds
        return count
    }

    /// Answers the held appends one after the other as the store does. Returns their sizes.
    private func appendSizes(_ world: inout RoomWorld) -> [Int] {
        var sizes: [Int] = []
        while case .append(let append)? = world.heldCalls.first {
            sizes.append(append.changes.count)
            let outcome = world.store.append(append)
            world.answerAppend(outcome)
        }
        return sizes
    }

    /// Steps are revisions × (edits + 1). The revisions may be in the window or in the store.
    @Test("a rebase of over 20,000 steps runs in the background", arguments: [true, false])
    func rebase(isInWindow: Bool) throws {
        for (edits, count) in [(999, 0), (1_000, 1)] {
            var world = try RoomWorld(String(repeating: "ab", count: 1_000))
            world.openQuietly(.ann, .bob)
            for number in 1...20 {
                world.push(.bob, [(0, 0, "x")], base: Revision(number), seq: Int64(number))
            }
            if !isInWindow { world.boundWindow(to: 1) }
            let computed = computations(in: &world) {
                $0.push(.ann, (0..<edits).map { (2 * $0, 2 * $0 + 1, "") }, base: 1, seq: 1)
            }
            #expect(computed == count)
            #expect(world.room.head == 22 && world.room.textBytes == 2_020 - edits)
        }
    }

    @Test("texts with over 16 KiB together are compared in the background")
    func comparison() throws {
        for excess in [0, 1] {
            var world = try RoomWorld(String(repeating: "a", count: 8_192))
            let other = String(repeating: "a", count: 8_191 + excess) + "b"
            let pushed = computations(in: &world) {
                $0.push(.bob, .text(WireString(other)), base: 1, seq: 1)
            }
            let restored = computations(in: &world) { $0.push(.ann, .restore, base: 1, seq: 1) }
            #expect(pushed == excess && restored == excess && world.room.head == 3)
        }
    }

    @Test("long texts are compared immediately if at most 16 KiB of lines differ")
    func shortDifference() throws {
        for (bytes, count) in [(8_191, 0), (8_192, 1)] {
            let line = String(repeating: "a", count: bytes)
            var world = try RoomWorld("\(long)\(line)\n\(long)")
            let text = "\(long)\(line.dropLast())b\n\(long)"
            let computed = computations(in: &world) {
                $0.push(.bob, .text(WireString(text)), base: 1, seq: 1)
            }
            #expect(computed == count && world.room.head == 2 && world.text == text)
        }
    }

    @Test("a segment ends before its changes take over 50,000 steps to rebase")
    func segmentWork() throws {
        for (edits, size) in [(1_110, 10), (1_111, 9)] {
            var world = try RoomWorld(String(repeating: "ab", count: 1_200))
            let people = (1...13).map { Person("p\($0)", Int64($0)) }
            for person in people { world.open(person) }
            world.holds = \.isAppend
            world.push(people[0], [(0, 0, "x")], base: 1, seq: 1)
            for person in people.dropFirst() {
                world.push(person, (0..<edits).map { (2 * $0, 2 * $0, "c") }, base: 1, seq: 1)
            }
            #expect(appendSizes(&world) == [1, size, 12 - size])
        }
    }

    /// A restore waits for the next segment, because after another push its text must be compared again.
    @Test("a restore of a long text begins a segment of its own")
    func restoreLeads() throws {
        for (old, sizes, count) in [("old text", [1, 2], 0), (long, [1, 1, 1], 1)] {
            var world = try RoomWorld(old)
            world.push(.bob, .text("short"), base: 1, seq: 1)
            world.holds = \.isAppend
            var found: [Int] = []
            let computed = computations(in: &world) { world in
                world.push(.eve, .text("short 1"), base: 2, seq: 1)
                world.push(.bob, .text("short 2"), base: 2, seq: 2)
                world.push(.ann, .restore, base: 1, seq: 1)
                found = appendSizes(&world)
            }
            #expect(found == sizes && computed == count && world.text == old)
        }
    }

    @Test("a restore of a long text is exact, even if others commit first")
    func restoreLocked() throws {
        var world = try RoomWorld(long)
        world.push(.bob, .text("short"), base: 1, seq: 1)
        world.holds = { $0.isAppend || $0.isAppendLocked }
        world.push(.ann, .restore, base: 1, seq: 1)
        for number in 1...2 {
            try world.commitElsewhere([(0, 0, "\(number)")], seq: Int64(number))
            world.answerAppend(.conflict(head: Revision(number + 2)))
        }
        #expect(world.held.count == 1 && world.held.first?.isAppendLocked == true)
        try world.commitElsewhere([(0, 0, "3")], seq: 3)
        world.release()
        #expect(world.text == long && world.room.head == 6)
    }

    @Test("computations may end in any order; each result goes to its own push")
    func order() throws {
        var world = try RoomWorld(long)
        world.openQuietly(.ann, .bob)
        world.holds = \.isCompute
        // Texts that differ at both ends are compared in the background.
        world.push(.ann, .text(WireString("ann\n\(long)ann\n")), base: 1, seq: 1)
        world.push(.bob, .text(WireString("bob\n\(long)bob\n")), base: 1, seq: 1)
        let works = world.held
        var ids: Set<WorkID> = []
        for case .compute(let id, .change(let work)) in works.reversed() {
            ids.insert(id)
            world.send(.computed(id, .change(work.done())))
        }
        #expect(ids.count == 2 && world.text == "bob\nann\n\(long)bob\nann\n")
        #expect(world.lines(.bob).line(0).contains(#""rev":2,"edits":[{"range":[0,0],"text":"bob\n"},"#))
    }

    /// Other pushes wait for the fourth background rebase of a push. The rename makes the room validate it again.
    @Test("an expensive push whose rebase is given up no longer holds up other pushes")
    func givenUp() throws {
        var world = try RoomWorld(String(repeating: "ab", count: 1_000))
        world.openQuietly(.ann, .bob)
        func write(_ count: Int, _ world: inout RoomWorld) {
            for _ in 0..<count {
                let head = world.room.head
                world.push(.bob, [(0, 0, "x")], base: head, seq: Int64(head.value))
            }
        }
        write(20, &world)
        world.holds = \.isCompute
        world.push(.ann, (0..<1_000).map { (2 * $0, 2 * $0 + 1, "") }, base: 1, seq: 1)
        for _ in 1...3 {
            guard case .compute(let id, .change(let work))? = world.held.last else {
                throw Unexpected(what: "no computation")
            }
            write(20, &world)
            world.send(.computed(id, .change(work.done())))
        }
        let head = world.room.head
        write(1, &world)
        #expect(world.held.count == 4 && world.room.head == head)
        try world.rename(to: "notes", by: .orderer)
        #expect(world.lines(.orderer).codes == ["exists"])
        #expect(world.held.count == 5 && world.room.head == head.next)
        write(1, &world)
        #expect(world.room.head == head.next.next)
    }

    /// Rule P5.
    @Test("a long text is refused if its rebase takes too many steps", arguments: [false, true])
    func longTextTooOld(differsAtBothEnds: Bool) throws {
        var limits = Limits()
        // The number of edits is known only after the comparison.
        limits.rebase = 5
        var world = try RoomWorld(long, limits: limits)
        world.openQuietly(.bob)
        for number in 1...4 { world.push(.bob, [(0, 0, "x")], base: Revision(number), seq: Int64(number)) }
        let text = (differsAtBothEnds ? "start\n" : "") + long + "end\n"
        let computed = computations(in: &world) { $0.push(.ann, .text(WireString(text)), base: 1, seq: 1) }
        #expect(computed == (differsAtBothEnds ? 1 : 0))
        #expect(world.lines(.ann).codes == ["base_trimmed"] && world.room.head == 5)
    }

    /// Rule P7.
    @Test("among edits with equal distances, the first ones are joined")
    func equalDistances() throws {
        let gap = #"\nkeep keep keep\n"#
        let cases = [
            [(0, 1, "a"), (17, 18, "b"), (34, 35, "c"), (51, 52, "d")],
            [(0, 18, "a\(gap)b"), (34, 35, "c"), (51, 52, "d")],
            [(0, 35, "a\(gap)b\(gap)c"), (51, 52, "d")],
            [(0, 52, "a\(gap)b\(gap)c\(gap)d")],
        ]
        for edits in cases {
            var limits = Limits()
            limits.announced.edits = edits.count
            let text = { (items: String) in items.map { String($0) }.joined(separator: "\nkeep keep keep\n") }
            var world = try RoomWorld(text("1234"), limits: limits)
            world.push(.ann, .text(WireString(text("abcd"))), base: 1, seq: 1)
            let shown = edits.map { #"{"range":[\#($0.0),\#($0.1)],"text":"\#($0.2)"}"# }
            #expect(world.lines(.ann).line(0).contains(#""edits":[\#(shown.joined(separator: ","))]}"#))
            #expect(world.text == text("abcd"))
        }
    }
}

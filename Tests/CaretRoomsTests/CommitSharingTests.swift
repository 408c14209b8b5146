import CaretRooms
import TestSupport
import Testing

@Suite("Waiting for pushes that share a commit") struct CommitSharingTests {
    private var sharing = CommitSharing()

    @Test("a writer who is alone never waits")
    mutating func alone() {
        for now in Int64(0)..<100 {
            #expect(sharing.decide(ready: 1, at: now) == .append)
            sharing.committed(expecting: 1, at: now)
        }
    }

    @Test("after a commit, the room waits until all expected pushes are ready")
    mutating func complete() {
        sharing.committed(expecting: 3, at: 5)
        #expect(sharing.decide(ready: 1, at: 5) == .beginWait && sharing.isWaiting)
        #expect(sharing.decide(ready: 2, at: 5) == .wait)
        #expect(sharing.decide(ready: 3, at: 5) == .append && !sharing.isWaiting)
        // No push is expected any more.
        #expect(sharing.decide(ready: 1, at: 5) == .append)
    }

    @Test("a push waits up to 1 ms after a commit, and no longer", arguments: [1, 2])
    mutating func late(milliseconds: Int64) {
        sharing.committed(expecting: 2, at: 5)
        #expect(sharing.decide(ready: 1, at: 5 + milliseconds) == (milliseconds == 1 ? .beginWait : .append))
    }

    @Test("when the wait ends, the pushes that are ready are appended")
    mutating func ended() {
        sharing.committed(expecting: 2, at: 5)
        #expect(sharing.decide(ready: 1, at: 5) == .beginWait)
        sharing.waitEnded(ready: 1)
        #expect(sharing.decide(ready: 1, at: 5) == .append)
        // Nothing waits, so this changes nothing.
        sharing.waitEnded(ready: 0)
        sharing.committed(expecting: 3, at: 6)
        #expect(sharing.decide(ready: 1, at: 6) == .append)
    }

    /// Lets the room commit so often, and returns how often it waits. Each wait brings `brought` more pushes.
    private mutating func waits(commits: Int, expected: Int, brought: Int) -> Int {
        var waits = 0
        for now in 0..<commits {
            sharing.committed(expecting: expected, at: Int64(now))
            if sharing.decide(ready: 1, at: Int64(now)) == .append { continue }
            waits += 1
            sharing.waitEnded(ready: 1 + brought)
            #expect(sharing.decide(ready: 1 + brought, at: Int64(now)) == .append)
        }
        return waits
    }

    @Test("of many waits in vain, all but one in 65 are left out")
    mutating func vain() {
        // After the waits in vain number 1 to 6, the room leaves out 2, 4, 8, 16, 32 and 64 waits.
        #expect(waits(commits: 6 + 62, expected: 2, brought: 0) == 6)
        #expect(waits(commits: 64 + 65 * 9, expected: 2, brought: 0) == 9)
    }

    @Test("a wait is in vain if it brings less than half of the missing pushes", arguments: [1, 2])
    mutating func half(brought: Int) {
        #expect(waits(commits: 100, expected: 5, brought: brought) == (brought == 2 ? 100 : 6))
    }

    @Test("a wait that brings all pushes ends the series of waits in vain")
    mutating func useful() {
        _ = waits(commits: 1, expected: 2, brought: 0)
        #expect(waits(commits: 3, expected: 2, brought: 1) == 1)
        #expect(waits(commits: 20, expected: 2, brought: 1) == 20)
        // The next wait in vain is the first of a new series.
        _ = waits(commits: 1, expected: 2, brought: 0)
        #expect(waits(commits: 3, expected: 2, brought: 0) == 1)
    }

    @Test("under any events, a room waits only if a push is missing", arguments: 0..<50)
    mutating func random(seed: UInt64) {
        var random = Seeded(seed)
        var (now, expected, committedAt) = (Int64(0), 0, Int64(-9))
        for _ in 0..<2_000 {
            switch Int.random(in: 0..<4, using: &random) {
            case 0:
                now += Int64.random(in: 0...3, using: &random)
            case 1 where !sharing.isWaiting:
                (expected, committedAt) = (Int.random(in: 0...4, using: &random), now)
                sharing.committed(expecting: expected, at: now)
            case 2: sharing.waitEnded(ready: Int.random(in: 0...4, using: &random))
            default:
                let ready = Int.random(in: 1...4, using: &random)
                let wasWaiting = sharing.isWaiting
                switch sharing.decide(ready: ready, at: now) {
                case .append: break
                case .beginWait: #expect(!wasWaiting && ready < expected && now - committedAt <= 1)
                case .wait: #expect(wasWaiting && ready < expected)
                }
                if wasWaiting, ready >= expected { #expect(!sharing.isWaiting) }
            }
        }
    }
}

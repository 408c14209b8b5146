import CaretCore
import CaretLog
import CaretRooms
import CaretWire
import TestSupport
import Testing

@Suite("Pushes that share a commit") struct RoomSharingTests {
    /// A room with a commit of ann and bob together, and how many pushes each append had.
    private struct SharingWorld {
        var world: RoomWorld
        private let log = Log()
        var appends: [Int] { log.appends }

        private final class Log { var appends: [Int] = [] }

        init() throws {
            world = try RoomWorld("ab")
            world.openQuietly(.ann, .bob)
            world.holds = { [log] action in
                if case .append(let append) = action.storeCall { log.appends.append(append.changes.count) }
                return action == .waitForPushes(isLong: false)
            }
            world.gather { world in
                world.push(.ann, [(0, 0, "1")], base: 1, seq: 1)
                world.push(.bob, [(2, 2, "2")], base: 1, seq: 1)
            }
            world.forget()
        }

        mutating func push(_ who: Person, _ text: String, seq: Int64 = 2) {
            world.push(who, [(0, 0, text)], base: 3, seq: seq)
        }

        var waits: Int { world.held.count }
    }

    @Test("after a commit, the push of one writer waits for that of the other")
    func shared() throws {
        var room = try SharingWorld()
        #expect(room.appends == [2])
        room.push(.ann, "3")
        #expect(room.waits == 1 && room.appends == [2] && room.world.lines(.ann).isEmpty)
        room.push(.bob, "4")
        #expect(room.waits == 1 && room.appends == [2, 2])
        #expect(room.world.lines(.ann).revisions == [4, 5] && room.world.text == "341ab2")
    }

    /// While several servers append to a document, each turn under the lock is worth a full segment.
    @Test("after a commit under the store's lock, the push of one writer waits for that of the other, too")
    func locked() throws {
        var world = try RoomWorld("ab")
        world.openQuietly(.ann, .bob)
        world.holds = { $0.isAppend || $0.isAppendLocked }
        world.gather { world in
            world.push(.ann, [(0, 0, "1")], base: 1, seq: 1)
            world.push(.bob, [(2, 2, "2")], base: 1, seq: 1)
        }
        for number in 1...2 {
            try world.commitElsewhere([(0, 0, "z")], seq: Int64(number))
            world.answerAppend(.conflict(head: Revision(1 + number)))
        }
        // The append under the lock misses this one, so the next append takes the lock, too.
        try world.commitElsewhere([(0, 0, "z")], seq: 3)
        world.release()
        world.forget()
        var waits = 0
        world.holds = { action in
            if action == .waitForPushes(isLong: true) { waits += 1 }
            return action == .waitForPushes(isLong: true)
        }
        world.push(.ann, [(0, 0, "3")], base: 6, seq: 2)
        #expect(waits == 1 && world.lines(.ann).isEmpty && world.room.head == 6)
        // The append under the lock reads what the hint promises, so nothing is read for the hint.
        try world.commitElsewhere([(0, 0, "y")], seq: 4)
        world.send(.storeHead(7))
        #expect(world.room.head == 6)
        world.push(.bob, [(0, 0, "4")], base: 6, seq: 2)
        #expect(world.room.head == 9 && world.lines(.ann).revisions == [7, 8, 9])
    }

    @Test("if no other push comes, the push is appended when the wait ends")
    func ended() throws {
        var room = try SharingWorld()
        room.push(.ann, "3")
        room.world.send(.waitEnded)
        #expect(room.waits == 1 && room.appends == [2, 1])
        #expect(room.world.lines(.ann).revisions == [4])
    }

    @Test("a push that comes later than 1 ms after a commit does not wait")
    func late() throws {
        var room = try SharingWorld()
        room.world.time += 1
        room.push(.ann, "3")
        #expect(room.waits == 0 && room.appends == [2, 1])
    }

    @Test("nobody waits for a writer whose session has ended")
    func departed() throws {
        var world = try RoomWorld("ab")
        world.openQuietly(.ann, .bob)
        world.holds = \.isAppend
        world.gather { world in
            world.push(.ann, [(0, 0, "1")], base: 1, seq: 1)
            world.push(.bob, [(2, 2, "2")], base: 1, seq: 1)
        }
        world.leave(.bob)
        world.release()
        world.forget()
        var waits = 0
        world.holds = { action in
            if action == .waitForPushes(isLong: false) { waits += 1 }
            return false
        }
        world.push(.ann, [(0, 0, "3")], base: 3, seq: 2)
        #expect(waits == 0 && world.lines(.ann).revisions == [4])
    }

    @Test("a full segment does not wait")
    func full() throws {
        var limits = Limits()
        limits.segmentChanges = 1
        var world = try RoomWorld("ab", limits: limits)
        world.openQuietly(.ann, .bob)
        var waits = 0
        world.holds = { action in
            if action == .waitForPushes(isLong: false) { waits += 1 }
            return false
        }
        world.gather { world in
            world.push(.ann, [(0, 0, "1")], base: 1, seq: 1)
            world.push(.bob, [(2, 2, "2")], base: 1, seq: 1)
        }
        #expect(waits == 0 && world.text == "1ab2")
    }
}

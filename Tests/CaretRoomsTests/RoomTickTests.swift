import CaretCore
import CaretRooms
import CaretWire
import Testing

@Suite("Presence of a room, once in a tick") struct RoomTickTests {
    /// The buffers that a room sends.
    private final class Buffers {
        private(set) var sent: [(session: SessionID, bytes: [UInt8])] = []

        /// Notes what is sent, and holds nothing.
        func note(_ action: RoomAction) -> Bool {
            if case .send(let session, let output) = action { sent.append((session, output.bytes)) }
            return false
        }

        func addresses(_ people: Person...) -> [UnsafeRawPointer?] {
            people.map { person in
                sent.last { $0.session == person.session }?.bytes.withUnsafeBytes { $0.baseAddress }
            }
        }
    }

    private let visitors = (1...4).map { Person("v\($0)", Int64(10 + $0)) }

    /// A room with Ann and Bob, who watch, and with visitors. The first visitor has just selected something.
    private func busyWorld() throws -> RoomWorld {
        var world = try RoomWorld("abcdef")
        world.openQuietly(.ann, .bob)
        for visitor in visitors { world.open(visitor) }
        for visitor in visitors {
            world.select(visitor, [], at: 1)
            world.tick()
        }
        world.select(visitors[0], [(0, 0)], at: 1)
        world.forget()
        return world
    }

    @Test("a session gets the latest of each peer in one buffer, without its own")
    func once() throws {
        var world = try busyWorld()
        for (place, visitor) in [(1, 0), (2, 1), (3, 0), (4, 2), (5, 2)] {
            world.select(visitors[visitor], [(place, place)], at: 1)
        }
        #expect(world.pieces(.ann) == 0 && world.lines(.ann).isEmpty)
        world.tick()
        #expect(world.pieces(.ann) == 1 && world.pieces(visitors[0]) == 1)
        #expect(
            world.lines(.ann) == [
                #"{"type":"peer","doc":"notes","session":"s12","rev":1,"selections":[[2,2]]}"#,
                #"{"type":"peer","doc":"notes","session":"s11","rev":1,"selections":[[3,3]]}"#,
                #"{"type":"peer","doc":"notes","session":"s13","rev":1,"selections":[[5,5]]}"#,
            ])
        #expect(
            world.lines(visitors[0]) == [
                #"{"type":"peer","doc":"notes","session":"s12","rev":1,"selections":[[2,2]]}"#,
                #"{"type":"peer","doc":"notes","session":"s13","rev":1,"selections":[[5,5]]}"#,
            ])
        #expect(world.lines(visitors[3]).count == 3)
    }

    @Test("sessions that have not selected share the buffer of a tick")
    func shared() throws {
        var world = try busyWorld()
        let buffers = Buffers()
        world.holds = buffers.note
        world.select(visitors[1], [(1, 1)], at: 1)
        world.select(visitors[2], [(2, 2)], at: 1)
        world.tick()
        let addresses = buffers.addresses(.ann, .bob, visitors[0], visitors[3])
        #expect(addresses[0] != nil && Set(addresses).count == 1)
        #expect(Set(buffers.addresses(.ann, visitors[1], visitors[2])).count == 3)
        #expect(buffers.sent.count == 6)
    }

    @Test("a session that opens between ticks gets the newest selections at once")
    func opened() throws {
        var world = try busyWorld()
        world.select(visitors[1], [(3, 3)], at: 1)
        world.open(.eve)
        #expect(world.lines(.eve).line(0).contains(#""client":"p-v2-client","selections":[[3,3]]}"#))
        world.tick()
        #expect(world.lines(.eve).isEmpty && world.lines(.ann).types == ["peer"])
    }

    @Test("a departure before the tick is reported only to those that know it")
    func left() throws {
        var world = try busyWorld()
        world.select(visitors[1], [(3, 3)], at: 1)
        world.leave(visitors[1])
        world.open(.eve)
        world.select(.eve, [(1, 1)], at: 1)
        world.leave(.eve)
        #expect(world.lines(.ann).isEmpty)
        world.tick()
        #expect(world.lines(.ann) == [#"{"type":"peer","doc":"notes","session":"s12","left":true}"#])
    }

    /// Rule S3.
    @Test("a selection that waits is moved through the changes before it")
    func afterChanges() throws {
        var world = try busyWorld()
        world.select(visitors[1], [(3, 3)], at: 1)
        world.push(.bob, [(0, 0, "xy")], base: 1, seq: 1)
        #expect(world.lines(.ann).types == ["change"])
        world.tick()
        #expect(
            world.lines(.ann) == [
                #"{"type":"peer","doc":"notes","session":"s12","rev":2,"selections":[[5,5]]}"#
            ])
    }

    @Test("departures that only wait for the tick disconnect nobody")
    func manyDepartures() throws {
        var limits = Limits()
        limits.roomSelections = 1
        var world = try RoomWorld("", limits: limits)
        world.openQuietly(.ann, .bob)
        for number in 1...100 {
            let visitor = Person("w\(number)", Int64(100 + number))
            world.open(visitor)
            world.select(visitor, [], at: 0)
            if number == 1 { world.tick() }
            world.leave(visitor)
        }
        #expect(world.disconnected.isEmpty)
        world.tick()
        #expect(world.lines(.ann).count == 2 && world.lines(.bob).count == 2)
    }

    @Test("a room with one session does not wake for the tick")
    func alone() throws {
        var world = try RoomWorld("abc")
        world.openQuietly(.ann)
        var wakes = 0
        world.holds = { action in
            if case .wake = action { wakes += 1 }
            return false
        }
        for place in 0...3 { world.select(.ann, [(place, place)], at: 1) }
        #expect(wakes == 0 && world.lines(.ann).isEmpty)
    }
}

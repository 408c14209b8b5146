import CaretCore
import CaretRooms
import CaretWire
import Testing

/// A room removes outdated presence events once it has more than 64 of them.
@Suite("Presence of many sessions") struct RoomPresenceSweepTests {
    private let letters = WireString(String(repeating: "x", count: 3_000))

    /// A room in which Bob and Eve have read the last revision, but Ann has not.
    private func world(_ change: (inout Limits) -> Void = { _ in }) throws -> RoomWorld {
        var limits = Limits()
        limits.creditBytes = 2_000
        change(&limits)
        var world = try RoomWorld("", limits: limits)
        world.openQuietly(.ann, .bob, .eve)
        for person in [Person.bob, .eve] { world.select(person, [(0, 0)], at: 0) }
        world.tick()
        world.isWrittenAtOnce = false
        world.push(.joe, .text(letters), base: 0, seq: 1)
        for person in [Person.bob, .eve] { world.reportWritten(person) }
        world.forget()
        return world
    }

    /// Rule S1. Others left before the slow session could receive their selections.
    @Test("a slow session still gets the newest selection and each departure")
    func slow() throws {
        var world = try world()
        for number in 1...70 {
            world.select(.bob, [(number, number)], at: 1)
            world.reportWritten(.eve)
            if number == 35 { world.leave(.eve) }
        }
        world.reportWritten(.ann)
        world.tick()
        #expect(
            world.lines(.ann) == [
                #"{"type":"peer","doc":"notes","session":"s3","left":true}"#,
                #"{"type":"peer","doc":"notes","session":"s2","rev":1,"selections":[[70,70]]}"#,
            ])
    }

    /// At the first sweep, 31 visitors have left, and at the second one 81. Their departures wait for Ann
    /// only.
    @Test("a session with too many unsent departures is disconnected, others stay")
    func tooManyDepartures() throws {
        for (visitors, limit, isDisconnected) in [
            (33, 31, false), (33, 30, true), (33, 3, true), (33, 1, true), (82, 81, false), (82, 80, true),
        ] {
            var world = try world { $0.roomSelections = limit }
            for number in 1...visitors {
                let visitor = Person("v\(number)", Int64(100 + number))
                world.open(visitor)
                world.select(visitor, [], at: 1)
                world.leave(visitor)
                world.tick()
                for person in [Person.bob, .eve] { world.reportWritten(person) }
            }
            #expect(world.disconnected == (isDisconnected ? [Person.ann.session] : []))
            world.reportWritten(.ann)
            world.forget()
            world.push(.bob, [(0, 0, "y")], base: 1, seq: 1)
            #expect(world.lines(.ann).types == (isDisconnected ? [] : ["change"]))
            #expect(world.lines(.eve).types == ["change"])
        }
    }
}

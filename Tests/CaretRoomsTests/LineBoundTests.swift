import CaretCore
import CaretLog
import CaretRooms
import CaretWire
import TestSupport
import Testing

/// The protocol limits the length of every line from the server. No document may make a line exceed this
/// limit.
@Suite("Lines of a room stay within the limit of the protocol") struct LineBoundTests {
    private static let document = 64 << 10

    private static func limits(edits: Int) -> Limits {
        var limits = Limits()
        limits.announced.document = document
        limits.announced.edits = edits
        return limits
    }

    /// Two texts whose difference has as many edits as possible: a line is inserted before each old line.
    private static let old = String(repeating: "a\n", count: document / 2)
    private static let new = String(repeating: "b\na\n", count: document / 4)

    private func expectBound(
        _ lines: [String], in world: RoomWorld, sourceLocation: SourceLocation = #_sourceLocation
    ) {
        let bound = world.limits.announced.serverLine
        for line in lines {
            let bytes = line.utf8.count
            #expect(bytes <= bound, "\(line.prefix(80))", sourceLocation: sourceLocation)
        }
    }

    /// Rules L5 and P7.
    @Test(
        "a pushed text with very many edits has lines within the limit",
        arguments: [10_000, 50_000])
    func wholeText(edits: Int) throws {
        var world = try RoomWorld(Self.old, limits: Self.limits(edits: edits))
        world.openQuietly(.ann, .bob)
        world.push(.ann, .text(WireString(Self.new)), base: 1, seq: 1)
        world.push(.ann, .text(WireString(Self.new)), base: 1, seq: 1)
        let (acks, changes) = (world.lines(.ann), world.lines(.bob))
        #expect(acks.count == 2 && changes.count == 1)
        expectBound(acks + changes, in: world)
        #expect(world.text == Self.new)
        #expect(changes[0].ranges(of: "range").count <= edits)
    }

    /// Rules L5 and P7.
    @Test("if a message with edits exceeds the line limit, edits are joined", arguments: counts)
    func explicitEdits(count: Int) throws {
        var world = try RoomWorld(Self.new, limits: Self.limits(edits: 50_000))
        world.openQuietly(.ann, .bob)
        world.push(.ann, Self.everyOtherLine(count), base: 1, seq: 1)
        let (acks, changes) = (world.lines(.ann), world.lines(.bob))
        #expect(acks.count == 1 && acks[0].contains(#""edits":["#) && changes.count == 1)
        expectBound(acks + changes, in: world)
        let rest = String(repeating: "b\na\n", count: Self.document / 4 - count)
        #expect(world.text == String(repeating: "c\na\n", count: count) + rest)
    }

    /// With each of these numbers of edits, a line exceeds the limit. With 13,000 edits, the line would fit
    /// if every offset had only one digit.
    private static let counts = [13_000, document / 4]

    /// Edits that replace every other line at the beginning of `new`.
    private static func everyOtherLine(_ count: Int) -> [(Int, Int, String)] {
        (0..<count).map { (4 * $0, 4 * $0 + 2, "c\n") }
    }

    /// Rules L5 and P19.
    @Test("an ack with the text omits the edits if both do not fit in a line")
    func ackWithText() throws {
        let text = String(repeating: "\u{1}", count: Self.document)
        var world = try RoomWorld("", limits: Self.limits(edits: 10_000))
        world.openQuietly(.ann, .bob)
        world.push(.ann, .text(WireString(text)), base: 0, seq: 1, wantsText: true)
        let acks = world.lines(.ann)
        expectBound(acks + world.lines(.bob), in: world)
        #expect(acks.count == 1 && acks[0].contains(#""text":"\u0001"#) && !acks[0].contains(#""edits""#))
        world.push(.ann, .text("short"), base: 1, seq: 2, wantsText: true)
        #expect(world.lines(.ann).allSatisfy { $0.contains(#""edits""#) && $0.contains(#""text":"short""#) })
    }

    /// Rule L5.
    @Test("a squashed change for a watcher stays within the limit")
    func squashed() throws {
        var world = try RoomWorld(Self.new, limits: Self.limits(edits: 50_000))
        world.openQuietly(.ann)
        // Each of these two changes fits in a line, but both together do not. The first change edits every
        // other line `b`, and the second change edits the remaining lines `b`.
        for (seq, first) in [(1, 0), (2, 4)] {
            let places = stride(from: first, to: Self.document, by: 8)
            world.push(.ann, places.map { ($0, $0 + 2, "cc") }, base: Revision(seq), seq: Int64(seq))
        }
        world.forget()
        let watcher = Person("wim", 9)
        world.open(watcher, from: ("1.1", 1), .watch, squashes: true)
        let lines = world.lines(watcher)
        #expect(lines.contains { $0.contains(#""rev":3,"from":1"#) })
        expectBound(lines, in: world)
    }

    /// Rules L5 and C5.
    @Test("a resuming client gets the text instead of a change over the limit", arguments: counts)
    func stored(count: Int) throws {
        var world = try RoomWorld(Self.new, limits: Self.limits(edits: 50_000))
        try world.commitElsewhere(Self.everyOtherLine(count))
        try world.restart()
        world.openQuietly(.bob)
        world.select(.bob, [(0, 0)], at: 2)
        world.isWrittenAtOnce = false
        world.open(.ann, from: ("1.1", 1))
        let lines = world.lines(.ann)
        expectBound(lines, in: world)
        #expect(lines.types == ["opened", "resync", "peer"] && lines.line(1).contains(#""rev":2,"#))
        // After the resync the session gets changes and acks as before.
        world.push(.ann, [(0, 1, "x")], base: 2, seq: 1)
        #expect(world.lines(.ann) == [#"{"type":"ack","doc":"notes","seq":1,"rev":3}"#])
    }

    /// Rule P17.
    @Test("a repeated push stored before the limit existed is acked without edits")
    func storedRepeat() throws {
        var world = try RoomWorld(Self.new, limits: Self.limits(edits: 50_000))
        let edits = stride(from: 0, to: Self.document, by: 4).map { ($0, $0 + 2, "c\n") }
        let digest = RoomWorld.digest(.text("c"), 1)
        try world.commitElsewhere(edits, by: Person.ann.participant.pusher, seq: 5, digest: digest)
        try world.restart()
        world.push(.ann, .text("c"), base: 1, seq: 5)
        #expect(world.lines(.ann) == [#"{"type":"ack","doc":"notes","seq":5,"rev":2,"duplicate":true}"#])
    }

    /// Rule L5.
    @Test("an open room joins the edits of a change that is over the limit")
    func takenIn() throws {
        var world = try RoomWorld(Self.new, limits: Self.limits(edits: 50_000))
        world.openQuietly(.ann, .bob)
        try world.commitElsewhere(stride(from: 0, to: Self.document, by: 4).map { ($0, $0 + 2, "c\n") })
        world.push(.ann, [(Self.document - 2, Self.document - 1, "x")], base: 1, seq: 1)
        let lines = world.lines(.ann) + world.lines(.bob)
        #expect(lines.count == 4)
        expectBound(lines, in: world)
    }

    /// Rule B7.
    @Test("peers that do not fit in `opened` follow it, all at once")
    func peersAtOnce() throws {
        var limits = Self.limits(edits: 10_000)
        limits.creditBytes = 10 << 20
        var world = try RoomWorld(String(repeating: "\u{1}", count: Self.document), limits: limits)
        for number in 1...6 {
            let person = Person("p\(number)", Int64(number))
            world.open(person)
            world.select(person, (60_000..<61_000).map { ($0, $0) }, at: 1)
        }
        world.isWrittenAtOnce = false
        let ann = Person("ann", 100)
        world.open(ann)
        world.tick()
        #expect(world.lines(ann).types == ["opened"] + Array(repeating: "peer", count: 6))
    }

    /// Rules L5 and B7.
    @Test("many peers and carets are sent in further lines after `opened`")
    func manyPeers() throws {
        let limits = Self.limits(edits: 10_000)
        var world = try RoomWorld(String(repeating: "\u{1}", count: Self.document), limits: limits)
        let people = (1...20).map { Person("p\($0)", Int64($0)) }
        for person in people {
            world.open(person)
            world.select(person, (60_000..<61_000).map { ($0, $0) }, at: 1)
        }
        world.forget()
        for resume in [nil, Revision(1)] {
            let ann = Person("ann", resume == nil ? 100 : 101)
            world.open(ann, from: resume.map { ("1.1", $0) })
            world.tick()
            let lines = world.lines(ann)
            expectBound(lines, in: world)
            #expect(lines[0].contains(#""type":"opened""#))
            // Together the lines contain every peer with all its carets.
            let whole = lines.joined()
            for person in people {
                #expect(whole.contains(#""session":"s\#(person.session.value)""#))
                #expect(
                    lines.contains { $0.contains(#""user":"\#(person.participant.pusher.user.string)""#) })
            }
            #expect(whole.ranges(of: "[60999,60999]").count == people.count)
        }
    }
}

import CaretCore
import CaretLog
import CaretRooms
import CaretWire
import TestSupport
import Testing

@Suite("The cost of pushes") struct RoomRateTests {
    private let lines = (0..<240).map { "l\($0)\n" }

    /// A room in which the pushes of a user may take 1,200 steps in 10 seconds, after four revisions of Bob.
    private func world() throws -> RoomWorld {
        var limits = Limits()
        limits.rebase = 1_200
        var world = try RoomWorld(lines.joined(), limits: limits)
        world.openQuietly(.ann, .bob)
        pushOfBob(4, &world)
        return world
    }

    private func pushOfBob(_ count: Int, _ world: inout RoomWorld) {
        for _ in 0..<count {
            world.push(.bob, [(0, 0, "x")], base: world.room.head, seq: Int64(world.room.head.value))
        }
        world.forget()
    }

    private func insertions(_ count: Int) -> [(Int, Int, String)] {
        (0..<count).map { (2 * $0, 2 * $0, "y") }
    }

    /// Rule P5.
    @Test("the long rebases of a user are limited in time, up to the last step", arguments: [0, 1])
    func rate(excess: Int) throws {
        var world = try world()
        world.push(.ann, insertions(199), base: 1, seq: 1)
        #expect(world.lines(.ann).codes == [] && world.room.head == 6)
        pushOfBob(4, &world)
        // The first push took 800 steps, and this one takes 4 × 100 or 4 × 101.
        world.push(.ann, insertions(99 + excess), base: 6, seq: 2)
        if excess == 0 { return #expect(world.lines(.ann).codes == [] && world.room.head == 11) }
        let refusal = world.lines(.ann)
        #expect(refusal.codes == ["rate_limited"] && refusal[0].contains(#""retry_after_ms":34"#))
        #expect(
            refusal[0].contains("takes 404 steps; the pushes of a user to a document may take 1200 in 10"))
        world.pass(milliseconds: 34)
        world.forget()
        world.push(.ann, insertions(100), base: 6, seq: 2)
        #expect(world.lines(.ann).codes == [] && world.room.head == 11)
        // Other users and short rebases are not affected.
        world.openQuietly(.eve)
        world.push(.eve, insertions(100), base: 1, seq: 1)
        world.push(.ann, insertions(1), base: 11, seq: 3)
        #expect(world.room.head == 13)
    }

    /// Rule P5.
    @Test(
        "another client of the same user has the same steps, and whole texts count too",
        arguments: [true, false])
    func otherClient(pushesText: Bool) throws {
        var world = try world()
        world.push(.ann, insertions(199), base: 1, seq: 1)
        let other = Person("ann", 7, client: "other")
        world.open(other)
        world.forget()
        // 5 × 121 steps.
        if pushesText {
            let text = lines.enumerated().map { $0 % 2 == 0 ? $1 : "z" + $1 }.joined()
            world.push(other, .text(WireString(text)), base: 1, seq: 1)
        } else {
            world.push(other, insertions(120), base: 1, seq: 1)
        }
        #expect(world.lines(other).codes == ["rate_limited"] && world.room.head == 6)
    }

    /// Rule P6.
    @Test("a repeat of a push without effect is answered without a computation")
    func withoutEffect() throws {
        var world = try world()
        world.push(.bob, [(0, 204, "")], base: 5, seq: 5)
        pushOfBob(1, &world)
        let push: [(Int, Int, String)] = (0..<100).map { (2 * $0, 2 * $0 + 1, "") }
        func ack(_ head: Int) -> [String] {
            [#"{"type":"ack","doc":"notes","seq":1,"epoch":"1.1","rev":\#(head),"unchanged":true}"#]
        }
        world.push(.ann, push, base: 1, seq: 1)
        #expect(world.lines(.ann) == ack(7))
        world.holds = \.isCompute
        for _ in 0..<5 { world.push(.ann, push, base: 1, seq: 1) }
        #expect(world.lines(.ann) == Array(repeating: ack(7)[0], count: 5) && world.held.isEmpty)
        // The answer names the head with which the repeat is compared.
        pushOfBob(1, &world)
        world.push(.ann, push, base: 1, seq: 1)
        #expect(world.lines(.ann) == ack(8) && world.held.isEmpty)
        // Another content is another push, because nothing was committed.
        world.push(.ann, Array(push.prefix(50)), base: 1, seq: 1)
        #expect(world.held.count == 1)
    }
}

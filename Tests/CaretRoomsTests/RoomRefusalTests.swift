import CaretCore
import CaretLog
import CaretRooms
import CaretWire
import TestSupport
import Testing

@Suite("Refused pushes") struct RoomRefusalTests {
    typealias Step = @Sendable (inout RoomWorld) -> Void

    static let cases: [(code: String, message: String, push: Step)] = [
        (
            "bad_range", "edit 0: range 4..<9 ends past the text's length 5 at revision 2",
            { $0.push(.ann, [(4, 9, "")], base: 2, seq: 1) }
        ),
        (
            "bad_range", "edit 1: range 3..<3 has offset 3 inside a character at revision 2",
            { $0.push(.ann, [(0, 0, "y"), (3, 3, "x")], base: 2, seq: 1) }
        ),
        (
            "bad_text", "edit 0: its text has a carriage return; write each line break as LF",
            { $0.push(.ann, [(0, 0, "a\rb")], base: 1, seq: 1) }
        ),
        (
            "bad_edits", "the edits overlap or are not in ascending order: outOfOrder(edit: 1)",
            { $0.push(.ann, [(3, 4, ""), (0, 1, "")], base: 1, seq: 1) }
        ),
        (
            "base_ahead", "base 3 is beyond the head 2",
            { $0.push(.ann, [(0, 0, "x")], base: 3, seq: 1) }
        ),
        (
            "base_ahead", "revision 3 is beyond the head 2",
            { $0.push(.ann, .restore, base: 3, seq: 1) }
        ),
        (
            "epoch_changed", "the document has another epoch than the push",
            { $0.push(.ann, [(0, 0, "x")], base: 1, seq: 1, epoch: "7.7") }
        ),
        (
            "epoch_changed",
            "a push without an epoch is allowed only at revision 0, and the document is at revision 2",
            { $0.push(.ann, .text("x"), base: 0, seq: 1, epoch: nil) }
        ),
        (
            "forbidden", "you may read the document, but not write it",
            { $0.push(.ann, .text("x"), base: 1, seq: 1, rights: .read) }
        ),
        (
            "not_found", "there is no such document",
            { $0.push(.ann, .text("x"), base: 1, seq: 1, rights: .none) }
        ),
    ]

    /// Rules P3, P20 and T5. The client can use the same seq again.
    @Test("an invalid push is refused with a reason, and changes nothing")
    func refusals() throws {
        var world = try RoomWorld("a😀b")
        world.openQuietly(.ann, .bob)
        world.push(.bob, [(0, 0, "x")], base: 1, seq: 3)
        world.forget()
        for (code, message, push) in RoomRefusalTests.cases {
            push(&world)
            let lines = world.lines(.ann)
            #expect(lines.count == 1 && lines.codes == [code], "\(code): \(lines)")
            #expect(
                lines.line(0).contains(#""doc":"notes","seq":1"#) && lines.line(0).contains(message),
                "\(lines)")
            let containsHead = code.hasPrefix("base") || code.hasPrefix("epoch")
            #expect(lines.line(0).contains(#""epoch":"1.1","rev":2"#) == containsHead, "\(lines)")
        }
        #expect(world.text == "xa😀b" && world.room.head == 2)
        world.push(.ann, [(0, 0, "y")], base: 2, seq: 1)
        #expect(world.lines(.ann) == [#"{"type":"ack","doc":"notes","seq":1,"rev":3}"#])
    }

    /// Rule P13.
    @Test("a base before the client's own last committed push is refused")
    func beforeOwnPush() throws {
        var world = try RoomWorld("ab")
        world.openQuietly(.ann)
        world.push(.ann, [(0, 0, "x")], base: 1, seq: 3)
        world.forget()
        world.push(.ann, [(0, 0, "x")], base: 1, seq: 4)
        #expect(
            world.lines(.ann) == [
                #"{"type":"error","doc":"notes","seq":4,"code":"base_before_own_push","message":"base 1 is before revision 2, which is your own latest push","epoch":"1.1","rev":2}"#
            ])
        world.push(.ann, [(0, 0, "x")], base: 2, seq: 4)
        #expect(world.lines(.ann).revisions == [3])
    }

    /// Rule B11.
    @Test("a watcher gets `forbidden` for every kind of push")
    func watching() throws {
        var world = try RoomWorld("ab")
        world.open(.ann, .watch)
        world.forget()
        world.push(.ann, [(0, 0, "x")], base: 1, seq: 1)
        world.push(.ann, .text("x"), base: 1, seq: 1)
        world.push(.ann, .restore, base: 0, seq: 1)
        #expect(world.lines(.ann).codes == ["forbidden", "forbidden", "forbidden"])
    }

    /// Rules P12 and P13.
    @Test("a push is refused until the ack of the previous one has been sent")
    func ackOnTheWay() throws {
        var world = try RoomWorld("ab")
        world.isWrittenAtOnce = false
        world.openQuietly(.ann, .bob)
        world.reportWritten(.bob)
        world.push(.bob, [(0, 2, String(repeating: "x", count: 300_000))], base: 1, seq: 1)
        world.push(.ann, .restore, base: 1, seq: 1)
        world.forget()
        world.push(.ann, .restore, base: 1, seq: 2)
        #expect(world.lines(.ann).codes == ["push_in_flight"])
        world.reportWritten(.ann)
        #expect(world.lines(.ann).types == ["ack"])
        world.push(.ann, .restore, base: 0, seq: 2)
        #expect(world.text == "")
    }

    /// Rule P5.
    @Test("a rebase of too many steps, revisions × (edits + 1), is refused")
    func workBound() throws {
        var limits = Limits()
        limits.rebase = 12
        var world = try RoomWorld("abcdef", limits: limits)
        world.openQuietly(.ann, .bob)
        for number in 1...4 { world.push(.bob, [(0, 0, "x")], base: Revision(number), seq: Int64(number)) }
        world.forget()
        world.push(.ann, [(0, 0, "1"), (2, 2, "2"), (4, 4, "3")], base: 1, seq: 1)
        #expect(
            world.lines(.ann) == [
                #"{"type":"error","doc":"notes","seq":1,"code":"base_trimmed","message":"base 1 is 4 revisions behind: rebasing 3 edits takes 16 steps; at most 12 are allowed","epoch":"1.1","rev":5,"cause":"work"}"#
            ])
        // The number of edits of a whole text is known only after the diff.
        world.push(.ann, .text("1ab2cd3ef"), base: 1, seq: 1)
        #expect(world.lines(.ann).codes == ["base_trimmed"])
        world.push(.ann, [(0, 0, "1"), (2, 2, "2")], base: 1, seq: 1)
        #expect(world.lines(.ann).revisions == [6])
        // The limit of a rebase does not apply to a restore.
        limits.rebase = 3
        world = try RoomWorld("abcdef", limits: limits)
        world.openQuietly(.bob)
        for number in 1...4 { world.push(.bob, [(0, 0, "x")], base: Revision(number), seq: Int64(number)) }
        world.push(.ann, .text("abc"), base: 1, seq: 1)
        #expect(world.lines(.ann).codes == ["base_trimmed"])
        world.push(.ann, .restore, base: 1, seq: 1)
        #expect(world.text == "abcdef")
    }

    /// Rule A10.
    @Test("a base in trimmed history is refused, but the oldest kept base works")
    func trimmedBase() throws {
        var world = try RoomWorld("ab")
        for number in 2...5 { try world.commitElsewhere([(0, 0, "x")], seq: Int64(number)) }
        _ = world.store.trim(world.document, through: 3)
        try world.restart()
        world.push(.ann, .text("xabc"), base: 2, seq: 1)
        world.push(.bob, .restore, base: 2, seq: 1)
        for lines in [world.lines(.ann), world.lines(.bob)] {
            #expect(lines.codes == ["base_trimmed"] && lines.line(0).hasSuffix(#""cause":"trimmed"}"#))
        }
        world.push(.ann, .text("xxabc"), base: 3, seq: 1)
        #expect(world.text == "xxxxabc")
        // Another process trims the history while the room is open. The room learns about the trim from its
        // next call to the store.
        var limits = Limits()
        limits.windowBytes = 3_000
        world = try RoomWorld("ab", limits: limits)
        for number in 2...5 { try world.commitElsewhere([(0, 0, "x")], seq: Int64(number)) }
        try world.restart()
        _ = world.store.trim(world.document, through: 3)
        world.push(.ann, .text("xabc"), base: 2, seq: 1)
        #expect(world.lines(.ann).codes == ["base_trimmed"])
    }

    /// Rule P11. A base is too old if the store may have removed entries of pushers that pushed at that base.
    @Test("if the store has no entry of a pusher, a too old base is refused")
    func forgotten() throws {
        for isInWindow in [true, false] {
            var world = try RoomWorld("ab")
            world.push(.bob, .text("abc"), base: 1, seq: 1)
            let day = 86_400_000
            if !isInWindow { try world.restart() }
            world.time = 1_001 + Int64(90 * day) - 1
            world.push(.joe, .text("abcj"), base: 1, seq: 1)
            #expect(world.room.head == 3)
            world.push(.ann, .text("abca"), base: 1, seq: 1)
            let refusal = world.lines(.ann)
            #expect(refusal.codes == ["base_trimmed"] && refusal.line(0).hasSuffix(#""cause":"forgotten"}"#))
            // A push whose base is the head cannot be a repeat, so it is committed.
            world.push(.ann, .text("abca"), base: 3, seq: 1)
            #expect(world.room.head == 4)
            // A restore may name an older revision.
            world.push(.eve, .restore, base: 1, seq: 1)
            #expect(world.text == "ab" && world.room.head == 5)
        }
    }

    @Test("a document may not grow beyond its limit, but a larger one may shrink")
    func tooLarge() throws {
        var limits = Limits()
        limits.announced.document = 10
        var world = try RoomWorld("012345678", limits: limits)
        world.openQuietly(.ann)
        // The store is not needed to refuse the push.
        world.store.trouble = .full
        world.push(.ann, [(0, 0, "xx")], base: 1, seq: 1)
        world.store.trouble = nil
        #expect(
            world.lines(.ann) == [
                #"{"type":"error","doc":"notes","seq":1,"code":"too_large","message":"the document would have 11 bytes; at most 10 are allowed"}"#
            ])
        world.push(.ann, [(0, 0, "x")], base: 1, seq: 1)
        #expect(world.text == "x012345678")
        world = try RoomWorld("0123456789abc", limits: limits)
        world.push(.ann, .text("0123456789ab"), base: 1, seq: 1)
        #expect(world.text == "0123456789ab")
    }
}

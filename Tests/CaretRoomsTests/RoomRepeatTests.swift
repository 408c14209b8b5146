import CaretCore
import CaretLog
import CaretRooms
import CaretWire
import TestSupport
import Testing

@Suite("Repeated pushes") struct RoomRepeatTests {
    private let duplicate = #"{"type":"ack","doc":"notes","seq":5,"rev":2,"duplicate":true}"#

    /// Rule P8.
    @Test("a repeated push is answered again, and never committed twice")
    func repeated() throws {
        var world = try RoomWorld("ab")
        world.openQuietly(.ann)
        for _ in 0..<3 { world.push(.ann, [(2, 2, "c")], base: 1, seq: 5) }
        #expect(
            world.lines(.ann) == [#"{"type":"ack","doc":"notes","seq":5,"rev":2}"#, duplicate, duplicate])
        #expect(world.text == "abc")
    }

    @Test("a push of a client that the server has just named needs no lookup")
    func newClient() throws {
        var world = try RoomWorld("ab")
        world.holds = { $0.storeCall != nil }
        for isFirst in [true, false] {
            world.push(.ann, .text("abc"), base: 1, seq: 1, isOfNewClient: isFirst)
        }
        #expect(world.held.count == 1 && world.held[0].isAppend)
        world.release()
        #expect(world.text == "abc" && world.lines(.ann).revisions == [2])
    }

    /// Rule P12.
    @Test("after an unknown outcome, such a push is looked up", arguments: [true, false])
    func newClientOfUnknownOutcome(isThere: Bool) throws {
        var world = try RoomWorld("ab")
        try world.pushWithUnknownOutcome(isThere: isThere, isOfNewClient: true)
        #expect(world.text == "abc" && world.lines(.ann).revisions == [2])
        #expect(try world.store.text(of: world.document, at: nil).get().text == TextBuffer("abc"))
    }

    /// Rule P10.
    @Test("a used seq with other content is refused, and so is a skipped seq")
    func reused() throws {
        var world = try RoomWorld("ab")
        world.openQuietly(.ann)
        world.push(.ann, [(2, 2, "c")], base: 1, seq: 5)
        world.forget()
        world.push(.ann, [(2, 2, "d")], base: 1, seq: 5)
        world.push(.ann, [(2, 2, "d")], base: 2, seq: 4)
        #expect(
            world.lines(.ann) == [
                #"{"type":"error","doc":"notes","seq":5,"code":"seq_reused","message":"seq 5 was used with other content; the highest committed seq is 5"}"#,
                #"{"type":"error","doc":"notes","seq":4,"code":"seq_reused","message":"seq 4 was used or skipped; the highest committed seq is 5"}"#,
            ])
    }

    /// Rules P3 and P8.
    @Test("a repeat is recognised after a restart, even if its epoch is outdated")
    func afterRestart() throws {
        var world = try RoomWorld("ab")
        world.push(.ann, .text("abc"), base: 1, seq: 5, )
        world.push(.ann, .text("abcd"), base: 2, seq: 6)
        try world.restart()
        world.push(.ann, .text("abcd"), base: 2, seq: 6, epoch: nil)
        #expect(
            world.lines(.ann) == [
                #"{"type":"ack","doc":"notes","seq":6,"epoch":"1.1","rev":3,"edits":[{"range":[3,3],"text":"d"}],"duplicate":true}"#
            ])
    }

    @Test("the ack of an old repeat is read from the store, with text if wanted")
    func fromStore() throws {
        var limits = Limits()
        limits.windowBytes = 3_000
        var world = try RoomWorld("ab", limits: limits)
        world.openQuietly(.ann, .bob)
        world.push(.ann, [(2, 2, "c")], base: 1, seq: 5)
        for number in 1...9 {
            world.push(.bob, [(0, 0, "x")], base: Revision(number + 1), seq: Int64(number))
        }
        world.forget()
        world.push(.ann, [(2, 2, "c")], base: 1, seq: 5)
        #expect(world.lines(.ann) == [duplicate])
        world.push(.ann, .edits([WireEdit(WireRange(2, 2), "c")]), base: 1, seq: 5, wantsText: true)
        #expect(
            world.lines(.ann) == [
                #"{"type":"ack","doc":"notes","seq":5,"rev":2,"text":"abc","duplicate":true}"#
            ])
    }

    @Test("if a read for a repeat returns no change, the room reads once more")
    func emptyRead() throws {
        let edits = #""edits":[{"range":[2,2],"text":"c"}],"#
        for (isEmptyAgain, edits) in [(false, edits), (true, "")] {
            var world = try RoomWorld("ab")
            world.openQuietly(.ann, .bob)
            world.push(.ann, .text("abc"), base: 1, seq: 5)
            for number in 1...9 {
                world.push(.bob, [(0, 0, "x")], base: Revision(number + 1), seq: Int64(number))
            }
            world.boundWindow(to: 1)
            world.forget()
            world.holds = \.isRead
            world.push(.ann, .text("abc"), base: 1, seq: 5)
            #expect(world.heldReads == [1])
            world.drop()
            let empty = HistorySlice(segment: Segment(first: 2, changes: []), head: 11)
            world.answer(\.isRead, .read(.success(empty)))
            #expect(world.heldReads == [1] && world.lines(.ann).isEmpty)
            if isEmptyAgain { world.answer(\.isRead, .read(.success(empty))) } else { world.release() }
            #expect(
                world.lines(.ann) == [
                    #"{"type":"ack","doc":"notes","seq":5,"rev":2,\#(edits)"duplicate":true}"#
                ])
        }
    }

    /// Rule P17.
    @Test("a repeat whose revision was trimmed is acked without edits")
    func trimmed() throws {
        var world = try RoomWorld("ab")
        world.push(.ann, .text("abc"), base: 1, seq: 5)
        for number in 1...3 { try world.commitElsewhere([(0, 0, "x")], seq: Int64(number)) }
        _ = world.store.trim(world.document, through: 4)
        try world.restart()
        world.push(.ann, .text("abc"), base: 1, seq: 5)
        #expect(world.lines(.ann) == [duplicate])
    }

    /// Rules P8 and P19. The first answer has neither the text nor the edits.
    @Test("the answer to a repeat has the id and the text that the repeat asks for")
    func otherFields() throws {
        var world = try RoomWorld("ab")
        world.openQuietly(.ann)
        world.push(.ann, [(2, 2, "c")], base: 1, seq: 5, id: .number(1))
        #expect(world.lines(.ann) == [#"{"type":"ack","id":1,"doc":"notes","seq":5,"rev":2}"#])
        let edits = RoomPush.Content.edits([WireEdit(WireRange(2, 2), "c")])
        world.push(.ann, edits, base: 1, seq: 5, id: .number(2), wantsText: true)
        #expect(
            world.lines(.ann) == [
                #"{"type":"ack","id":2,"doc":"notes","seq":5,"rev":2,"text":"abc","duplicate":true}"#
            ])
    }

    /// Rule P17. The text at the start of a trimmed history can be read, and those before it cannot.
    @Test("a repeat of a push that a trim made the start gets the text", arguments: [2, 3])
    func trimmedText(start: Revision) throws {
        var world = try RoomWorld("ab")
        world.push(.ann, .text("abc"), base: 1, seq: 5)
        for number in 1...3 { try world.commitElsewhere([(0, 0, "x")], seq: Int64(number)) }
        _ = world.store.trim(world.document, through: start)
        try world.restart()
        world.push(.ann, .text("abc"), base: 1, seq: 5, wantsText: true)
        let withText = #"{"type":"ack","doc":"notes","seq":5,"rev":2,"text":"abc","duplicate":true}"#
        #expect(world.lines(.ann) == [start == 2 ? withText : duplicate])
    }

    /// Rules P12 and P15.
    @Test("repeats of a push in flight get one ack, with the last repeat's id")
    func onItsWay() throws {
        var world = try RoomWorld("ab")
        world.openQuietly(.ann)
        world.holds = \.isAppend
        world.push(.ann, [(2, 2, "c")], base: 1, seq: 5, id: .number(1))
        world.push(.ann, [(2, 2, "c")], base: 1, seq: 5, id: .number(2))
        world.push(.ann, [(2, 2, "c")], base: 1, seq: 6, id: .number(3))
        world.push(.ann, [(2, 2, "d")], base: 1, seq: 5, id: .number(4))
        #expect(world.lines(.ann).codes == ["push_in_flight", "seq_reused"])
        world.release()
        #expect(world.lines(.ann) == [#"{"type":"ack","id":2,"doc":"notes","seq":5,"rev":2}"#])
    }

    /// Rule P12.
    @Test("a second push is refused while the pusher's first one is queued")
    func besideQueued() throws {
        var world = try RoomWorld("ab")
        world.openQuietly(.ann, .bob)
        world.holds = \.isAppend
        world.push(.bob, [(0, 0, "x")], base: 1, seq: 1)
        world.push(.ann, [(2, 2, "c")], base: 1, seq: 5)
        world.push(.ann, [(2, 2, "d")], base: 1, seq: 6)
        #expect(world.lines(.ann).codes == ["push_in_flight"])
        world.release()
        #expect(world.text == "xabc")
    }

    /// Rule P15.
    @Test("while the ack of a push is unsent, its repeat gets no second ack")
    func ackOnTheWay() throws {
        var world = try RoomWorld("ab", limits: .narrow)
        world.openQuietly(.ann, .bob)
        world.isWrittenAtOnce = false
        world.push(.bob, [(0, 0, "x")], base: 1, seq: 1)
        world.push(.ann, [(2, 2, "c")], base: 1, seq: 5, id: .number(1))
        world.forget()
        world.push(.ann, [(2, 2, "c")], base: 1, seq: 5, id: .number(2))
        #expect(world.lines(.ann).isEmpty)
        world.reportWritten(.ann)
        #expect(
            world.lines(.ann) == [
                #"{"type":"ack","id":2,"doc":"notes","seq":5,"rev":3,"edits":[{"range":[3,3],"text":"c"}]}"#
            ])
    }

    /// Rule P15.
    @Test("after a reconnect a repeat of a push in flight gets an ack with edits")
    func onItsWayElsewhere() throws {
        var world = try RoomWorld("ab")
        world.openQuietly(.ann)
        world.holds = \.isAppend
        world.push(.ann, [(2, 2, "c")], base: 1, seq: 5, id: .number(1))
        world.leave(.ann)
        let ann = Person.ann.back(11)
        world.open(ann)
        world.push(ann, [(2, 2, "c")], base: 1, seq: 5, id: .number(2))
        world.forget()
        world.release()
        #expect(
            world.lines(ann) == [
                #"{"type":"ack","id":2,"doc":"notes","seq":5,"rev":2,"edits":[{"range":[2,2],"text":"c"}]}"#
            ])
    }

    /// Rule R6.
    @Test("a repeat needs the right to read, but not the right to write")
    func rights() throws {
        var world = try RoomWorld("ab")
        world.push(.ann, .text("abc"), base: 1, seq: 5)
        world.forget()
        world.push(.ann, .text("abc"), base: 1, seq: 5, rights: .read)
        world.push(.ann, .text("abc"), base: 1, seq: 5, rights: .none)
        let lines = world.lines(.ann)
        #expect(lines.line(0).contains(#""duplicate":true"#) && lines.codes == ["not_found"])
    }

    @Test("a pusher lookup older than the head is not used to validate a push")
    func staleAnswer() throws {
        var world = try RoomWorld("ab")
        let pusher = Person.ann.participant.pusher
        world.holds = \.isLookUp
        world.push(.ann, .text("abc"), base: 1, seq: 5)
        let stale = world.store.pusher(pusher, in: world.document)
        // Another server has committed the same push. This server learns of it by a conflict.
        let digest = try #require(world.digest(ofTextAt: 1, "abc"))
        try world.commitElsewhere([(2, 2, "c")], by: pusher, seq: 5, digest: digest)
        world.holds = { [document = world.document] in $0.storeCall == .pusher(pusher, in: document) }
        world.push(.bob, .text("xab"), base: 1, seq: 1)
        #expect(world.room.head == 3)
        world.answer(\.isLookUp, .pusher(stale))
        world.release()
        #expect(world.lines(.ann).allSatisfy { $0.contains(#""duplicate":true"#) })
        #expect(world.text == "xabc" && world.room.head == 3)
    }

    @Test("after a failed append, a push that another server committed is acked")
    func aheadOfRefusedSegment() throws {
        var world = try RoomWorld("ab")
        world.openQuietly(.bob)
        world.holds = \.isAppend
        world.push(.bob, [(0, 0, "x")], base: 1, seq: 1)
        let digest = RoomWorld.digest(.text("yab"), 1)
        try world.commitElsewhere([(0, 0, "y")], by: Person.ann.participant.pusher, seq: 5, digest: digest)
        world.push(.ann, .text("yab"), base: 1, seq: 5)
        #expect(world.lines(.ann).isEmpty)
        world.answerAppend(.diskFull)
        #expect(world.lines(.ann).types == ["ack"] && world.room.head == 2)
    }

    @Test("if the store knows a newer push of the pusher, the room catches up")
    func aheadOfHead() throws {
        var world = try RoomWorld("ab")
        let pusher = Person.ann.participant.pusher
        try world.commitElsewhere([(2, 2, "c")], by: pusher, seq: 5)
        world.open(.ann)
        #expect(world.lines(.ann).line(0).contains(#""rev":2,"text":"abc""#))
    }
}

import CaretCore
import CaretLog
import CaretRooms
import CaretWire
import TestSupport
import Testing

@Suite("Repeated pushes that overlap with other events") struct RoomRepeatEdgeTests {
    private let insertion = RoomPush.Content.edits([WireEdit(WireRange(2, 2), "c")])
    private let duplicate = #"{"type":"ack","doc":"notes","seq":5,"rev":2,"duplicate":true}"#
    private let withEdits =
        #"{"type":"ack","doc":"notes","seq":5,"rev":2,"edits":[{"range":[2,2],"text":"c"}],"duplicate":true}"#

    /// A room in which Ann's push with seq 5 has left the window.
    private func outgrown(_ content: RoomPush.Content) throws -> RoomWorld {
        var limits = Limits()
        limits.windowBytes = 3_000
        var world = try RoomWorld("ab", limits: limits)
        world.openQuietly(.ann, .bob)
        world.push(.ann, content, base: 1, seq: 5)
        for number in 1...9 {
            world.push(.bob, [(0, 0, "x")], base: Revision(number + 1), seq: Int64(number))
        }
        world.forget()
        return world
    }

    /// Rule P15. The new connection has not opened the document.
    @Test("a repeat is answered on its own connection, with the text if it asks")
    func newConnection() throws {
        var world = try RoomWorld("ab")
        world.holds = \.isAppend
        world.push(.ann, .text("abc"), base: 1, seq: 5, id: .number(1))
        let ann = Person.ann.back(11)
        world.push(ann, .text("abc"), base: 1, seq: 5, id: .number(2), wantsText: true)
        world.release()
        #expect(
            world.lines(ann) == [
                #"{"type":"ack","id":2,"doc":"notes","seq":5,"rev":2,"edits":[{"range":[2,2],"text":"c"}],"text":"abc"}"#
            ])
        #expect(world.lines(.ann).isEmpty)
    }

    @Test("an ack has the edits if another session repeats the push")
    func otherSession() throws {
        var world = try RoomWorld("ab")
        let other = Person.ann.back(11)
        world.openQuietly(.ann, other)
        world.holds = \.isAppend
        world.push(.ann, insertion, base: 1, seq: 5)
        world.push(other, insertion, base: 1, seq: 5)
        world.release()
        let edits = #""edits":[{"range":[2,2],"text":"c"}]"#
        #expect(world.lines(other) == [#"{"type":"ack","doc":"notes","seq":5,"rev":2,\#(edits)}"#])
    }

    /// Rule R5.
    @Test("a waiting push is refused if its last repeat lacks the right to write")
    func rights() throws {
        var world = try RoomWorld("ab")
        world.holds = \.isAppend
        world.push(.bob, .text("xab"), base: 1, seq: 1)
        world.push(.ann, .text("abc"), base: 1, seq: 5)
        world.push(.ann, .text("abc"), base: 1, seq: 5, rights: .read)
        world.release()
        #expect(world.lines(.ann).codes == ["forbidden"] && world.text == "xab")
    }

    /// Rule P15.
    @Test("if a repeat wants the text, an ack that is not yet sent gets the text")
    func unsentAck() throws {
        var world = try RoomWorld("ab", limits: .narrow)
        world.openQuietly(.ann, .bob)
        world.isWrittenAtOnce = false
        world.push(.bob, [(0, 0, "x")], base: 1, seq: 1)
        world.push(.ann, insertion, base: 1, seq: 5, id: .number(1))
        world.push(.ann, insertion, base: 1, seq: 5, id: .number(2), wantsText: true)
        world.forget()
        world.reportWritten(.ann)
        #expect(
            world.lines(.ann) == [
                #"{"type":"ack","id":2,"doc":"notes","seq":5,"rev":3,"edits":[{"range":[3,3],"text":"c"}],"text":"xabc"}"#
            ])
    }

    /// Rule P17.
    @Test("a repeat is acked without edits if two reads do not return them")
    func noRevision() throws {
        var world = try outgrown(.text("abc"))
        world.holds = \.isRead
        world.push(.ann, .text("abc"), base: 1, seq: 5)
        let empty = HistorySlice(segment: Segment(first: 2, changes: []), head: 11)
        let heldReads: [[Revision]] = [[1], [1, 1]]
        for reads in heldReads {
            #expect(world.heldReads == reads && world.lines(.ann).isEmpty)
            world.answer(\.isRead, .read(.success(empty)))
        }
        #expect(world.heldReads == [1, 1] && world.lines(.ann) == [duplicate])
    }

    /// The store answers the read for Eve's push first.
    @Test("repeats that wait for the store get the edits of their own pushes")
    func twoRepeats() throws {
        var world = try RoomWorld("ab")
        world.openQuietly(.bob)
        let texts: [(person: Person, text: WireString)] = [(.ann, "abc"), (.eve, "abcd")]
        for (index, item) in texts.enumerated() {
            world.push(item.person, .text(item.text), base: Revision(index + 1), seq: 5)
        }
        world.push(.bob, [(0, 0, "x")], base: 3, seq: 1)
        world.boundWindow(to: 1)
        world.forget()
        world.holds = { $0.isRead || $0.isReadText }
        for (index, item) in texts.enumerated() {
            let wantsText = index == 0
            world.push(
                item.person, .text(item.text), base: Revision(index + 1), seq: 5, wantsText: wantsText)
        }
        #expect(world.heldReads == [1, 2])
        world.answer(\.isRead, .read(world.store.read(world.document, after: 2, limit: .max)))
        #expect(world.lines(.ann).isEmpty)
        let ack = #"{"type":"ack","doc":"notes","seq":5,"rev":"#
        #expect(
            world.lines(.eve) == [ack + #"3,"edits":[{"range":[3,3],"text":"d"}],"duplicate":true}"#])
        world.answer(\.isRead, .read(world.store.read(world.document, after: 1, limit: .max)))
        // Ann's repeat also waits for the text.
        #expect(world.lines(.ann).isEmpty)
        world.release()
        #expect(
            world.lines(.ann) == [
                ack + #"2,"edits":[{"range":[2,2],"text":"c"}],"text":"abc","duplicate":true}"#
            ])
    }

    /// Rule P17.
    @Test("a repeat is acked without the text if the store cannot read it")
    func noText() throws {
        for refusal in [HistoryRefusal.refused(.failed), .trimmed(start: 5)] {
            var world = try outgrown(.text("abc"))
            world.holds = \.isReadText
            world.push(.ann, .text("abc"), base: 1, seq: 5, wantsText: true)
            world.answer(\.isReadText, .text(.failure(refusal)))
            #expect(world.lines(.ann) == [withEdits])
        }
    }

    /// Rules B9 and P17. The session is closing, so it could not push anything new.
    @Test("a repeat is answered after a reload, even if its session closes")
    func reload() throws {
        var world = try outgrown(insertion)
        world.holds = \.isRead
        world.push(.ann, insertion, base: 1, seq: 5)
        world.close(.ann, id: .number(8))
        world.holds = { _ in false }
        world.answer(\.isRead, .read(.failure(.refused(.gone))))
        #expect(world.lines(.ann) == [duplicate, #"{"type":"closed","id":8,"doc":"notes"}"#])
    }

    /// Rule B9.
    @Test("a session that is closing gets `closed` after its push is refused")
    func refusedPush() throws {
        var world = try RoomWorld("ab")
        world.openQuietly(.ann)
        world.holds = \.isAppend
        world.push(.ann, insertion, base: 1, seq: 5)
        world.close(.ann, id: .number(9))
        world.answerAppend(.diskFull)
        let lines = world.lines(.ann)
        #expect(lines.types == ["error", "closed"] && lines.codes == ["storage_full"])
    }

    /// Rule T5.
    @Test("a pushed text without line breaks keeps the stored kind of line break")
    func noLineBreak() throws {
        var world = try RoomWorld("a\nb\n")
        world.push(.ann, .text("x\r\n"), base: 1, seq: 1)
        world.push(.ann, .text("y"), base: 2, seq: 2)
        #expect(world.text == "y")
        #expect(try world.store.entry(of: world.document).get().lineBreak == .crlf)
    }
}

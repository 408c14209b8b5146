import CaretCore
import CaretLog
import CaretRooms
import CaretWire
import TestSupport
import Testing

@Suite("Repeats that other events cross") struct RoomRepeatEdgeTests {
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
    @Test("a repeat on a new connection gets the answer, as the repeat wants it")
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

    /// Rule R5.
    @Test("a push that waits is committed with the rights of its last repeat")
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
    @Test("an unsent ack gets the text if a repeat of its push wants it")
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
    @Test("a session closes once its push is refused")
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
    @Test("a text without line breaks does not change the stored kind of them")
    func noLineBreak() throws {
        var world = try RoomWorld("a\nb\n")
        world.push(.ann, .text("x\r\n"), base: 1, seq: 1)
        world.push(.ann, .text("y"), base: 2, seq: 2)
        #expect(world.text == "y")
        #expect(try world.store.entry(of: world.document).get().lineBreak == .crlf)
    }
}

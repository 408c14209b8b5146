import CaretLog
import CaretWire
import Testing

@testable import CaretRooms
@testable import CaretServer

@Suite("What no loop is held up by")
struct DearJobsTests {
    private static let document = DocumentID(7)

    private static func push(_ content: RoomPush.Content) -> RoomJob {
        let participant = Participant(
            pusher: Pusher(user: "ann", client: "a"), name: "s",
            introduction: Introduction(user: "ann", client: "p"), unit: .utf16)
        return .event(
            document,
            .push(
                RoomPush(
                    session: SessionID(1), id: nil, document: "notes", participant: participant,
                    rights: .write,
                    epoch: nil, base: 0, seq: 1, content: content, digest: Digest(.zero), time: 1)),
            from: ConnectionID(1))
    }

    private static func text(_ bytes: Int) -> WireString { WireString(String(repeating: "x", count: bytes)) }

    private static func edits(_ count: Int, of bytes: Int = 1) -> RoomPush.Content {
        .edits((0..<count).map { WireEdit(WireRange($0, $0), text(bytes)) })
    }

    @Test("a push with 64 KiB of text or 64 edits is done by a loop, and one with more is not")
    func pushes() {
        for (most, beyond) in [
            (RoomPush.Content.text(Self.text(64 << 10)), RoomPush.Content.text(Self.text(64 << 10 + 1))),
            (Self.edits(64), Self.edits(65)), (Self.edits(2, of: 32 << 10), Self.edits(2, of: 32 << 10 + 1)),
        ] {
            #expect(!Self.push(most).isDear(in: []))
            #expect(Self.push(beyond).isDear(in: []))
        }
    }

    @Test("nothing of a document with a long text is done by a loop, nor what reads its history")
    func documents() {
        let place = RoomPlace(document: Self.document, number: 1)
        let jobs: [RoomJob] = [
            Self.push(Self.edits(1)), .order(Self.document, .leave(SessionID(1))),
            .answer(place, .appended(.committed(head: 1), at: .now)),
        ]
        for job in jobs {
            #expect(!job.isDear(in: [DocumentID(8)]))
            #expect(job.isDear(in: [Self.document]))
        }
        #expect(RoomJob.answer(place, .historyRead(after: 0, .failure(.trimmed(start: 1)))).isDear(in: []))
    }
}

import CaretCore
import CaretLog
import CaretRooms
import CaretServer
import CaretWire
import Testing

@Suite("What no loop is held up by")
struct ExpensiveJobsTests {
    private static func text(_ bytes: Int) -> WireString { WireString(String(repeating: "x", count: bytes)) }

    private static func edits(_ count: Int, of bytes: Int = 1) -> RoomPush.Content {
        .edits((0..<count).map { WireEdit(WireRange($0, $0), text(bytes)) })
    }

    @Test("a push with 64 KiB of text or 64 edits is done by a loop, and one with more is not")
    func pushes() {
        for (most, beyond) in [
            (RoomPush.Content.text(Self.text(64 << 10)), RoomPush.Content.text(Self.text((64 << 10) + 1))),
            (Self.edits(64), Self.edits(65)),
            (Self.edits(2, of: 32 << 10), Self.edits(2, of: (32 << 10) + 1)),
        ] {
            #expect(!most.isExpensive)
            #expect(beyond.isExpensive)
        }
    }

    @Test("nothing of a document with a long text is done by a loop")
    func documents() {
        let document = DocumentID(7)
        let jobs: [RoomJob] = [
            .event(document, .leave(SessionID(1)), from: ConnectionID(1)),
            .order(document, .leave(SessionID(1))),
            .answer(
                RoomInstance(document: document, number: 1), .answered(CallID(1), .appended(.failed)),
                at: .now),
        ]
        for job in jobs {
            #expect(!job.isExpensive { $0 != document })
            #expect(job.isExpensive { $0 == document })
        }
    }

    @Test("pages of history are expensive whatever is in them, and an appended segment is not")
    func answers() {
        #expect(RoomEvent.answered(CallID(1), .read(.failure(.refused(.gone)))).isExpensive)
        #expect(!RoomEvent.answered(CallID(1), .appended(.failed)).isExpensive)
    }
}

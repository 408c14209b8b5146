import CaretCore
import CaretLog
import CaretRooms
import CaretServer
import CaretWire
import Testing

@Suite("Expensive jobs")
struct ExpensiveJobsTests {
    private static func text(_ bytes: Int) -> WireString { WireString(String(repeating: "x", count: bytes)) }

    private static func edits(_ count: Int, of bytes: Int = 1) -> RoomPush.Content {
        .edits((0..<count).map { WireEdit(WireRange($0, $0), text(bytes)) })
    }

    @Test("loops run pushes of up to 64 KiB or 64 edits, and no larger ones")
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

    @Test("no job of a document with a long text runs on a loop")
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

    @Test("pages of history are always expensive, appended segments are not")
    func answers() {
        #expect(RoomEvent.answered(CallID(1), .read(.failure(.refused(.gone)))).isExpensive)
        #expect(!RoomEvent.answered(CallID(1), .appended(.failed)).isExpensive)
    }
}

import CaretCore
import CaretLog
import CaretRooms
import CaretServer
import CaretWire
import Testing

@Suite("Jobs that are too expensive for an event loop")
struct ExpensiveJobsTests {
    private static func text(_ bytes: Int) -> WireString { WireString(String(repeating: "x", count: bytes)) }

    private static func edits(_ count: Int, of bytes: Int = 1) -> RoomPush.Content {
        .edits((0..<count).map { WireEdit(WireRange($0, $0), text(bytes)) })
    }

    @Test("a push of over 64 KiB or over 64 edits is expensive")
    func pushes() {
        for (most, beyond) in [
            (RoomPush.Content.text(Self.text(64 << 10)), RoomPush.Content.text(Self.text((64 << 10) + 1))),
            (Self.edits(64), Self.edits(65)),
            (Self.edits(2, of: 32 << 10), Self.edits(2, of: (32 << 10) + 1)),
        ] {
            #expect(!most.isExpensive)
            #expect(beyond.isExpensive)
        }
        #expect(!RoomPush.Content.restore.isExpensive)
    }

    @Test("every job for a document with a long text is expensive")
    func documents() {
        let document = DocumentID(7)
        let jobs: [RoomJob] = [
            .connectionEvent(document, .leave(SessionID(1)), from: ConnectionID(1)),
            .hubEvent(document, .leave(SessionID(1))),
            .answer(
                RoomInstance(document: document, number: 1), .answered(CallID(1), .appended(.diskFailed)),
                at: .now),
        ]
        for job in jobs {
            #expect(!job.isExpensive { $0 != document })
            #expect(job.isExpensive { $0 == document })
        }
        for job in [RoomJob.dropRoom(document), .timePassed] {
            #expect(!job.isExpensive { $0 == document })
        }
    }

    @Test("an answer with history is expensive; an answer to an append is not")
    func answers() {
        #expect(RoomEvent.answered(CallID(1), .read(.failure(.refused(.gone)))).isExpensive)
        #expect(!RoomEvent.answered(CallID(1), .appended(.diskFailed)).isExpensive)
    }

    @Test("an answer or a new room with a text of over 64 KiB is expensive")
    func longTexts() throws {
        for (bytes, isExpensive) in [(64 << 10, false), ((64 << 10) + 1, true)] {
            let head = Snapshot(revision: 1, text: try TextBuffer(String(repeating: "x", count: bytes)))
            let entry = DocumentEntry(
                id: DocumentID(7), name: try DocumentName("a"), epoch: Epoch(generation: 1, document: 1),
                head: 1, start: 0, length: head.text.length, updated: 0, lineBreak: .lf)
            let loaded = LoadedDocument(entry, head)
            let make = RoomJob.makeRoom(loaded)
            let isMakeExpensive = make.isExpensive { _ in false }
            #expect(isMakeExpensive == isExpensive)
            #expect(RoomEvent.answered(CallID(1), .text(.success(head))).isExpensive == isExpensive)
            #expect(RoomEvent.answered(CallID(1), .loaded(.success(loaded))).isExpensive == isExpensive)
        }
    }
}

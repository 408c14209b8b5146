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

    @Test("in a document with a long text, a job is expensive if the room may need the whole text")
    func documents() {
        let document = DocumentID(7)
        let ann = Participant(
            pusher: Pusher(user: "ann", client: "ann-client"), name: "s1",
            introduction: Introduction(user: "ann", client: "p-ann"), unit: .utf16)
        let push = { (content: RoomPush.Content, wantsText: Bool) in
            RoomEvent.push(
                RoomPush(
                    session: SessionID(1), id: nil, document: "a", participant: ann, rights: .none,
                    epoch: nil,
                    base: 1, seq: 1, content: content, wantsText: wantsText, digest: Digest(.zero), time: 0))
        }
        let append = RoomEvent.answered(CallID(1), .appended(.diskFailed))
        for (event, long, needed) in [
            (push(Self.edits(1), false), false, true), (push(Self.edits(1), true), true, true),
            (push(.text(Self.text(1)), false), true, true), (push(.restore, false), true, true),
            (.leave(SessionID(1)), false, true), (.written(SessionID(1), bytes: 1), false, true),
            (.renewed, true, true), (append, false, true),
        ] {
            let jobs: [RoomJob] = [
                .connectionEvent(document, event, from: ConnectionID(1)), .hubEvent(document, event),
                .answer(RoomInstance(document: document, number: 1), event, at: .now),
            ]
            for job in jobs {
                #expect(!job.isExpensive { $0 == document ? .short : .long })
                #expect(job.isExpensive { $0 == document ? .long : .short } == long)
                #expect(job.isExpensive { $0 == document ? .longAndNeeded : .short } == needed)
            }
        }
        for job in [RoomJob.dropRoom(document), .timePassed] {
            #expect(!job.isExpensive { _ in .longAndNeeded })
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
            let isMakeExpensive = make.isExpensive { _ in .short }
            #expect(isMakeExpensive == isExpensive)
            #expect(RoomEvent.answered(CallID(1), .text(.success(head))).isExpensive == isExpensive)
            #expect(RoomEvent.answered(CallID(1), .loaded(.success(loaded))).isExpensive == isExpensive)
        }
    }
}

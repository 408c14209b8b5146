import CaretClient
import CaretCore
import CaretReplica
import CaretWire
import Testing

/// Each test breaks an invariant by misusing the methods of the state, and expects that the check finds it.
@Suite("Invariants of a client's state") struct InvariantTests {
    /// A fault and the invariant that it breaks.
    struct Fault: Sendable, CustomTestStringConvertible {
        let law: String
        let plant: @Sendable (inout ClientState, DocumentKey) throws -> Void

        var testDescription: String { law }

        init(_ law: String, _ plant: @escaping @Sendable (inout ClientState, DocumentKey) throws -> Void) {
            (self.law, self.plant) = (law, plant)
        }
    }

    static let faults: [Fault] = [
        Fault("no two requests have the same number") { client, _ in
            let number = client.nextNumber()
            _ = client.requested(.ping(Ping()), as: number)
            _ = client.requested(.pong(Pong()), as: number)
        },
        Fault("this client has issued the number of each request") { client, _ in
            _ = client.requested(.ping(Ping()), as: RequestNumber(value: 99))
        },
        Fault("this client has issued the number of each request") { client, key in
            _ = client.requested(.ping(Ping()), as: client.nextNumber())
            replace(&client, key) { document, ids in ids = RequestIDs() }
        },
        Fault("a document is connected only while the client is connected") { client, key in
            let connected = client.documents[key]
            _ = client.disconnected(.ended, at: start, Jitter(0))
            replace(&client, key) { document, _ in document = connected ?? document }
        },
        Fault("the number of the push in flight is below the next push's number") { client, key in
            let position = WirePosition(epoch: "e", revision: 1)
            let push = SentPush(position: position, seq: 7, change: Change())
            let replica = try Replica(
                SavedReplica(
                    position: position, committed: TextBuffer(), push: push, inFlight: Change(),
                    unsent: Change(),
                    nextSeq: 7))
            replace(&client, key) { document, _ in
                document = DocumentState("notes", creating: false, replica, earlier: nil)
            }
        },
        Fault("while a document is being opened, the id of its open request is known") { client, key in
            var replica = Replica()
            _ = replica.connected()
            replace(&client, key) { [replica] document, _ in
                document = DocumentState("notes", creating: false, replica, earlier: nil)
            }
        },
        Fault("each replica that waits to retry has a time for its retry") { client, key in
            var replica = Replica()
            _ = replica.connected()
            _ = replica.openRefused(ErrorReport(.overloaded, "no"))
            replace(&client, key) { [replica] document, _ in
                document = DocumentState("notes", creating: false, replica, earlier: nil)
            }
        },
        Fault("each view whose text the document has not accepted yet is bound to the document") {
            client, key in
            replace(&client, key) { document, _ in _ = document.setUnaccepted(.sending, in: 3) }
        },
    ]

    private static let start = Moment(milliseconds: 0)

    private static func replace(
        _ client: inout ClientState, _ key: DocumentKey,
        _ body: (inout DocumentState, inout RequestIDs) -> Void
    ) {
        _ = client.change(key) { document, ids in
            body(&document, &ids)
            return []
        }
    }

    @Test("an invariant finds each planted fault in the state of a client", arguments: faults)
    func client(fault: Fault) throws {
        var talk = ClientConversation.welcomed()
        let key = talk.open("ab")
        var client = talk.state
        try client.checkInvariants()
        try fault.plant(&client, key)
        #expect(throws: BrokenInvariant(law: fault.law)) { try client.checkInvariants() }
    }

    @Test("an invariant finds a closed document that is still connected")
    func connectedWhenClosed() throws {
        var replica = Replica()
        _ = try replica.typed(Change([Edit(0..<0, "a")]))
        _ = replica.connected()
        let kept = UnsavedDocument(
            key: DocumentKey(value: 1), name: "notes", replica: replica, creates: false)
        let client = ClientConversation(unsaved: [kept]).state
        #expect(throws: BrokenInvariant(law: "a closed document is not connected")) {
            try client.checkInvariants()
        }
    }
}

import CaretClient
import CaretCore
import CaretReplica
import CaretWire
import Testing

/// Faults planted in the state through its own methods, which its owner calls as it must not. Each is found by the
/// invariant that it breaks.
@Suite("Invariants") struct InvariantTests {
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
            _ = client.asked(.ping(Ping()), as: number)
            _ = client.asked(.pong(Pong()), as: number)
        },
        Fault("each request has a number that this client gave out") { client, _ in
            _ = client.asked(.ping(Ping()), as: AskNumber(value: 99))
        },
        Fault("each request has a number that this client gave out") { client, key in
            _ = client.asked(.ping(Ping()), as: client.nextNumber())
            replace(&client, key) { document, ids in ids = RequestIDs() }
        },
        Fault("a document is connected only while the client is welcome") { client, key in
            let connected = client.documents[key]
            _ = client.cut(.ended, at: start, Luck(0))
            replace(&client, key) { document, _ in document = connected ?? document }
        },
        Fault("the number of the push in flight is below the next one") { client, key in
            let place = WirePosition(epoch: "e", revision: 1)
            let push = SentPush(place: place, seq: 7, change: Change())
            let replica = try Replica(
                Keepsake(
                    place: place, committed: Text(), push: push, inFlight: Change(), unsent: Change(),
                    nextSeq: 7))
            replace(&client, key) { document, _ in
                document = DocumentState("notes", creating: false, replica)
            }
        },
        Fault("a document that is being opened knows the id of its request") { client, key in
            var replica = Replica()
            _ = replica.connected()
            replace(&client, key) { [replica] document, _ in
                document = DocumentState("notes", creating: false, replica)
            }
        },
        Fault("a replica that waits is called in time") { client, key in
            var replica = Replica()
            _ = replica.connected()
            _ = replica.openRefused(ErrorReport(.overloaded, "no"))
            replace(&client, key) { [replica] document, _ in
                document = DocumentState("notes", creating: false, replica)
            }
        },
        Fault("a view that holds text back is bound") { client, key in
            replace(&client, key) { document, _ in _ = document.withhold(.sending, in: 3) }
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

    @Test("a fault in the state of a client is found", arguments: faults)
    func client(fault: Fault) throws {
        var talk = ClientTalk.welcomed()
        let key = talk.open("ab")
        var client = talk.state
        try client.checkInvariants()
        try fault.plant(&client, key)
        #expect(throws: BrokenInvariant(law: fault.law)) { try client.checkInvariants() }
    }

    @Test("a kept document that is still connected is found")
    func connectedWhenClosed() throws {
        var replica = Replica()
        _ = try replica.typed(Change([Edit(0..<0, "a")]))
        _ = replica.connected()
        let kept = KeptReplica(key: DocumentKey(value: 1), name: "notes", replica: replica, creates: false)
        let client = ClientTalk(kept: [kept]).state
        #expect(throws: BrokenInvariant(law: "a closed document is not connected")) {
            try client.checkInvariants()
        }
    }
}

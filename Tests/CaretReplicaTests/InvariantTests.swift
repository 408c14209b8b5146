import CaretCore
import CaretReplica
import CaretWire
import TestSupport
import Testing

/// Each test makes the state wrong, and expects the invariant that detects this.
@Suite("Invariants of a replica") struct InvariantTests {
    /// A fault and the invariant that it breaks.
    struct Fault: Sendable, CustomTestStringConvertible {
        let law: String
        let plant: @Sendable (inout Replica) throws -> Void

        var testDescription: String { law }

        init(_ law: String, _ plant: @escaping @Sendable (inout Replica) throws -> Void) {
            (self.law, self.plant) = (law, plant)
        }
    }

    static let faults: [Fault] = [
        Fault("every action was returned to the caller") { $0.actions = [.close] },
        Fault("an open document has a known epoch and revision") { $0.position = nil },
        Fault("the committed text is empty until its epoch and revision are known") { replica in
            replica = Replica()
            _ = try replica.draft.advance(by: SampleChange.change([edit(0, 0, "a")]))
        },
        Fault("the revision number is valid and can grow") { $0.position = position(at: Revision(.max)) },
        Fault("the replica of an open document needs no reload of its text") { $0.needsFullText = true },
        Fault("the client may read an open document") { $0.rights = .none },
        Fault("edits are in flight only if a push is in flight") { $0.inFlight = nil },
        Fault("the number of the push in flight is below the next push's number") { $0.nextSeq = 1 },
        Fault("a push waits for its answer or its revision only while the document is open") {
            $0.link = .waiting
        },
        Fault("an answered push stays in flight only until the replica has the revision of the answer") {
            $0.inFlight?.outcome = .resolved(at: 1)
        },
        Fault("the replica waits for a retry only if a push is in flight") { replica in
            replica.moveInFlightToUnsent()
            replica.isWaiting = true
        },
        Fault("a replica that may send has sent its edits, or waits for the outcome of an earlier push") {
            $0.inFlight?.outcome = .unknown
        },
        Fault("a replica that may send has sent its edits, or waits for the outcome of an earlier push") {
            $0.moveInFlightToUnsent()
        },
        Fault("a stored refusal belongs to the push in flight") { $0.refusal = .badText },
        Fault("a refused push has a stored refusal, unless the document is being opened again") {
            $0.inFlight?.outcome = .refused
        },
        Fault("edits are resubmitted only a few times in a row") { $0.resubmissions = 4 },
        Fault("the user's selections begin and end at scalar boundaries of the text") {
            $0.presence.select([Selection(caret: 99)])
        },
        Fault("the peers' selections begin and end at scalar boundaries of the committed text") { replica in
            replica.presence.put(bob, in: try TextBuffer("a longer text"))
        },
        Fault("a replica without a connection has no peers") { replica in
            replica.inFlight?.outcome = .unknown
            replica.link = .offline
        },
        Fault("the next undo and the next redo fit the text") { replica in
            var other = try Conversation.opened("a longer text")
            _ = try other.type(edit(13, 13, "x"))
            replica.undoHistory = other.replica.undoHistory
        },
        Fault("the state that the owner was last given is the current state") { $0.state = .saved },
    ]

    private static let bob = PeerSelections(
        session: "bob", selections: [Selection(caret: 9)])

    private static func position(at revision: Revision) -> WirePosition {
        WirePosition(epoch: "e", revision: revision)
    }

    /// An open document with a change in flight, an unsent change, and a peer.
    private static func opened(_ text: String) throws -> Conversation {
        var talk = try Conversation.opened(text)
        _ = talk.receive(.peer("ann", 1, Selection(caret: 1)))
        let end = talk.replica.text.end.value
        _ = try talk.type(edit(end, end, "c"))
        _ = try talk.type(edit(0, 0, "d"))
        return talk
    }

    @Test("`checkInvariants` throws the invariant that a wrong state breaks", arguments: faults)
    func replica(fault: Fault) throws {
        var replica = try InvariantTests.opened("ab").replica
        try replica.checkInvariants()
        try fault.plant(&replica)
        #expect(throws: BrokenInvariant(law: fault.law)) { try replica.checkInvariants() }
    }

    @Test("`checkInvariants` throws if the user's selections were not sent")
    func unsentSelections() throws {
        var replica = try Conversation.opened("ab").replica
        replica.presence.select([Selection(caret: 1)])
        let law = "in an open document without unsaved edits, the user's selections were sent"
        #expect(throws: BrokenInvariant(law: law)) { try replica.checkInvariants() }
    }

    @Test("`checkInvariants` throws if a replica that only watches has a push")
    func watcher() throws {
        var replica = try Conversation.opened("ab", mode: .watch).replica
        replica.inFlight = try InvariantTests.opened("ab").replica.inFlight
        let law = "a replica that only watches has no push in flight"
        #expect(throws: BrokenInvariant(law: law)) { try replica.checkInvariants() }
    }
}

import CaretCore
import CaretReplica
import CaretWire

/// The expected unsent edits after a change by another client.
struct ExpectedUnsentEdits {
    private let inFlight: Seq?
    private let unsent: Change

    /// Nil if the event is not a change by another client, or if there are no unsent edits.
    init?(_ cause: ReplicaTransition.Cause, _ before: Replica) {
        guard case .received(.change(let said)) = cause, before.link == .open,
            said.revision == before.revision.next, !before.draft.unsent.isEmpty,
            let change = try? Change([Edit](said.edits))
        else { return nil }
        let draft = before.draft
        inFlight = before.inFlight?.push.seq
        unsent = draft.unsent.rebased(
            over: change.rebased(over: draft.inFlight, tie: .selfFirst), tie: .otherFirst)
    }

    /// Whether the replica has rebased its unsent edits as expected. If it has another push in flight than
    /// before the event, returns true without a check.
    func isMade(in replica: Replica) -> Bool {
        replica.inFlight?.push.seq != inFlight || replica.draft.unsent == unsent
    }
}

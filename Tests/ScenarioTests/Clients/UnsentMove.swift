import CaretCore
import CaretReplica
import CaretWire

/// What is unsent as it must read after a change of others.
struct UnsentMove {
    private let inFlight: Seq?
    private let unsent: Change

    /// Nil where no change of others comes, or nothing is unsent.
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

    /// It is not looked at where the change has also led to sending it.
    func isMade(in replica: Replica) -> Bool {
        replica.inFlight?.push.seq != inFlight || replica.draft.unsent == unsent
    }
}

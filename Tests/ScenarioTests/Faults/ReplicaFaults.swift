import CaretCore
import CaretReplica
import CaretWire

/// A fault in a client. It changes the replica and its actions after an event.
class ReplicaFault: PlantedFault {
    final override var changesReplicas: Bool { true }
}

// MARK: Faults that correct themselves

/// The client opens the document again after every ack.
final class OpenedAgainAfterAck: ReplicaFault {
    override func change(_ transition: inout ReplicaTransition) {
        if transition.committed == nil { return }
        transition.replica.reloadText()
        transition.actions += transition.replica.finish()
    }
}

/// The client treats a matching check as a mismatch.
final class MatchingCheckRejected: ReplicaFault {
    override func change(_ transition: inout ReplicaTransition) {
        guard case .received(.check(var check)) = transition.cause else { return }
        check.length = -1
        transition.redo(as: .check(check))
    }
}

// MARK: Pushes

/// The client sends a push again with another seq.
final class RepeatUnderAnotherNumber: ReplicaFault {
    override func change(_ transition: inout ReplicaTransition) {
        for (index, action) in transition.actions.enumerated() {
            guard case .push(let push) = action, push == transition.before.inFlight?.push else { continue }
            let other = SentPush(
                position: push.position, seq: transition.replica.nextSeq, change: push.change)
            transition.replica.nextSeq = other.seq.next
            transition.replica.inFlight = InFlight(other)
            transition.actions[index] = .push(other)
        }
    }
}

/// After a lost connection, the client sends an unanswered push as a new one.
final class ResentAsNewAfterDisconnect: ReplicaFault {
    override func change(_ transition: inout ReplicaTransition) {
        if case .disconnected = transition.cause { transition.replica.moveInFlightToUnsent() }
    }
}

/// The client applies an ack twice.
final class AckAppliedTwice: ReplicaFault {
    override func change(_ transition: inout ReplicaTransition) {
        guard let (ack, push) = transition.committed,
            let change = try? ack.edits.map({ try Change([Edit]($0)) }) ?? push.change,
            let edit = try? transition.replica.draft.advance(by: change)
        else { return }
        transition.actions.append(.edit(edit))
    }
}

/// The client treats the ack of a repeated push as the next revision.
final class RepeatAppliedAsNext: ReplicaFault {
    override func change(_ transition: inout ReplicaTransition) {
        guard case .received(.ack(var ack)) = transition.cause, ack.duplicate else { return }
        ack.revision = transition.before.revision.next
        ack.duplicate = false
        transition.redo(as: .ack(ack))
    }
}

/// The client does not check whether a whole text contains its push in flight.
final class OwnPushIgnored: ReplicaFault {
    override func change(_ transition: inout ReplicaTransition) {
        switch transition.cause {
        case .received(.opened(var opened)):
            opened.own = nil
            transition.redo(as: .opened(opened))
        case .received(.resync(var resync)):
            resync.own = nil
            transition.redo(as: .resync(resync))
        case .received, .disconnected, .undone, .other: break
        }
    }
}

/// The client drops a refused edit and shows no error.
final class RefusedEditDropped: ReplicaFault {
    override func change(_ transition: inout ReplicaTransition) {
        guard case .received(.error) = transition.cause, transition.replica.inFlight?.outcome == .refused
        else { return }
        transition.actions += transition.replica.discard()
    }
}

// MARK: Typing, selections and undo

/// A whole text replaces unsaved edits.
final class UnsavedDiscardedByFullText: ReplicaFault {
    override func change(_ transition: inout ReplicaTransition) {
        switch transition.cause {
        case .received(.resync(let resync)): transition.redo(as: .resync(resync)) { $0.discard() }
        case .received(.opened(let opened)) where opened.content != .resumed:
            transition.redo(as: .opened(opened)) { $0.discard() }
        case .received, .disconnected, .undone, .other: break
        }
    }
}

/// The client does not rebase unsent edits over the changes of others.
final class UnsentKeptInPlace: ReplicaFault {
    override func change(_ transition: inout ReplicaTransition) {
        let (before, replica) = (transition.before, transition.replica)
        guard case .received(.change) = transition.cause, replica.revision != before.revision,
            let place = replica.position,
            let draft = try? Draft(
                SavedReplica(
                    position: place, committed: replica.committed, push: nil,
                    inFlight: replica.draft.inFlight,
                    unsent: before.draft.unsent, nextSeq: 1))
        else { return }
        // The fault also changes the view. Otherwise the view would differ from the replica, and reveal the
        // fault at once.
        transition.replica.draft = draft
        transition.actions.removeAll { if case .edit = $0 { true } else { false } }
        transition.actions.append(.edit(diff(from: before.text, to: draft.text)))
    }
}

/// The client does not move selections over its own ack.
final class SelectionsKeptAtAck: ReplicaFault {
    override func change(_ transition: inout ReplicaTransition) {
        if transition.committed != nil { transition.replica.presence = transition.before.presence }
    }
}

/// The client does not rebase its undo history over the changes of others.
final class UndoKeptInPlace: ReplicaFault {
    override func change(_ transition: inout ReplicaTransition) {
        if case .received = transition.cause {
            transition.replica.undoHistory = transition.before.undoHistory
        }
    }
}

extension ReplicaTransition {
    /// The ack that was just applied as the next revision, with its push.
    fileprivate var committed: (ack: Ack, push: SentPush)? {
        guard case .received(.ack(let ack)) = cause, replica.revision == before.revision.next,
            let push = before.inFlight?.push, push.seq.value == Int64(ack.seq)
        else { return nil }
        return (ack, push)
    }

    /// Handles the event again, as if the server had sent this message. Runs `first` before.
    fileprivate mutating func redo(
        as message: ServerMessage, after first: (inout Replica) -> [ReplicaAction] = { _ in [] }
    ) {
        replica = before
        actions = first(&replica)
        // Does not fail: the original message was valid, and this one differs only slightly.
        actions += (try? replica.received(message)) ?? []
    }
}

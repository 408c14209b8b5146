import CaretCore
import CaretReplica
import CaretWire

/// A fault in a client: it changes what an event has made of the replica, and what is to be done.
class ReplicaFault: PlantedFault {
    final override var changesReplicas: Bool { true }
}

// MARK: What heals by itself

/// The document is opened again after every ack.
final class OpenedAgainAfterAck: ReplicaFault {
    override func change(_ transition: inout ReplicaTransition) {
        if transition.committed == nil { return }
        transition.replica.reloadText()
        transition.actions += transition.replica.finish()
    }
}

/// A check that holds is taken for one that does not.
final class CheckDoubted: ReplicaFault {
    override func change(_ transition: inout ReplicaTransition) {
        guard case .received(.check(var check)) = transition.cause else { return }
        check.length = -1
        transition.redo(as: .check(check))
    }
}

// MARK: Pushes

/// A push is sent again under another number.
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

/// A push whose answer was cut off goes out as a new one.
final class TakenBackAtCut: ReplicaFault {
    override func change(_ transition: inout ReplicaTransition) {
        if case .cutOff = transition.cause { transition.replica.moveInFlightToUnsent() }
    }
}

/// An ack is applied twice.
final class AckAppliedTwice: ReplicaFault {
    override func change(_ transition: inout ReplicaTransition) {
        guard let (ack, push) = transition.committed,
            let change = try? ack.edits.map({ try Change([Edit]($0)) }) ?? push.change,
            let edit = try? transition.replica.draft.advance(by: change)
        else { return }
        transition.actions.append(.edit(edit))
    }
}

/// The answer to a repeat is taken for the next revision.
final class RepeatTakenForNext: ReplicaFault {
    override func change(_ transition: inout ReplicaTransition) {
        guard case .received(.ack(var ack)) = transition.cause, ack.duplicate else { return }
        ack.revision = transition.before.revision.next
        ack.duplicate = false
        transition.redo(as: .ack(ack))
    }
}

/// A whole text is not asked whether it holds the push in flight.
final class OwnPushIgnored: ReplicaFault {
    override func change(_ transition: inout ReplicaTransition) {
        switch transition.cause {
        case .received(.opened(var opened)):
            opened.own = nil
            transition.redo(as: .opened(opened))
        case .received(.resync(var resync)):
            resync.own = nil
            transition.redo(as: .resync(resync))
        case .received, .cutOff, .undone, .other: break
        }
    }
}

/// A refused edit is dropped without a word.
final class RefusedEditDropped: ReplicaFault {
    override func change(_ transition: inout ReplicaTransition) {
        guard case .received(.error) = transition.cause, transition.replica.inFlight?.outcome == .refused
        else { return }
        transition.actions += transition.replica.discard()
    }
}

// MARK: What is typed, selected and undone

/// A whole text replaces what is unsaved.
final class UnsavedLostToWholeText: ReplicaFault {
    override func change(_ transition: inout ReplicaTransition) {
        switch transition.cause {
        case .received(.resync(let resync)): transition.redo(as: .resync(resync)) { $0.discard() }
        case .received(.opened(let opened)) where opened.content != .resumed:
            transition.redo(as: .opened(opened)) { $0.discard() }
        case .received, .cutOff, .undone, .other: break
        }
    }
}

/// An unsent change stays as it was when others change the text.
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
        // The view follows, so that it does not betray the fault.
        transition.replica.draft = draft
        transition.actions.removeAll { if case .edit = $0 { true } else { false } }
        transition.actions.append(.edit(diff(from: before.text, to: draft.text)))
    }
}

/// Selections are not moved over an own ack.
final class SelectionsKeptAtAck: ReplicaFault {
    override func change(_ transition: inout ReplicaTransition) {
        if transition.committed != nil { transition.replica.presence = transition.before.presence }
    }
}

/// Undo is not moved over what others do.
final class UndoKeptInPlace: ReplicaFault {
    override func change(_ transition: inout ReplicaTransition) {
        if case .received = transition.cause {
            transition.replica.undoHistory = transition.before.undoHistory
        }
    }
}

extension ReplicaTransition {
    /// The ack that was just applied as the next revision, and the push that it answers.
    fileprivate var committed: (ack: Ack, push: SentPush)? {
        guard case .received(.ack(let ack)) = cause, replica.revision == before.revision.next,
            let push = before.inFlight?.push, push.seq.value == Int64(ack.seq)
        else { return nil }
        return (ack, push)
    }

    /// As if the server had sent this instead, after something else.
    fileprivate mutating func redo(
        as message: ServerMessage, after first: (inout Replica) -> [ReplicaAction] = { _ in [] }
    ) {
        replica = before
        actions = first(&replica)
        // The message that came was sound, and so is this one.
        actions += (try? replica.received(message)) ?? []
    }
}

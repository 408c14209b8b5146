import CaretCore
import CaretLog
import CaretRooms
import TestSupport

/// A store that answers from memory and writes later, as one does without a sync in front of its answer.
final class AckBeforeSync: PlantedFault {
    override var acksEarly: Bool { true }
}

/// A disk that says it has what it has not: the last transaction is gone after a restart.
final class SyncThatLies: PlantedFault {
    override var losesLast: Bool { true }
}

/// Known pushes that lived in memory alone: after a restart nobody has ever pushed anything. The log has lost the numbers of the
/// pushes as well, or a room would find a repeat in it.
final class RepeatForgotten: PlantedFault {
    override func reading(
        _ result: Result<Reading, HistoryRefusal>, _ room: RoomState
    ) -> Result<Reading, HistoryRefusal> {
        if world.lives == 1 { return result }
        return result.map { reading in
            let changes = reading.segment.changes.map { change in
                LoggedChange(pusher: change.pusher, seq: 0, time: change.time, edits: change.edits)
            }
            return Reading(
                segment: Segment(first: reading.segment.first, changes: changes), head: reading.head)
        }
    }

    override func pusher(_ answer: Result<PusherAnswer, StoreRefusal>) -> Result<PusherAnswer, StoreRefusal> {
        if world.lives == 1 { return answer }
        return answer.map { PusherAnswer(entry: nil, head: $0.head) }
    }
}

/// A pusher's row that is written with the revision in front of its push, as if it was counted before the append.
final class RepeatAtAnotherRevision: PlantedFault {
    override func pusher(_ answer: Result<PusherAnswer, StoreRefusal>) -> Result<PusherAnswer, StoreRefusal> {
        answer.map { answer in
            let entry = answer.entry.map { entry in
                PusherEntry(
                    seq: entry.seq, revision: Revision(max(1, entry.revision.value - 1)),
                    digest: entry.digest,
                    used: entry.used)
            }
            return PusherAnswer(entry: entry, head: answer.head)
        }
    }
}

/// Whoever fell out of the window is read from the store from the revision behind the next one: an `after` taken for
/// a `from`.
final class ChangeLostAtTheEdge: PlantedFault {
    override func reading(
        _ result: Result<Reading, HistoryRefusal>, _ room: RoomState
    ) -> Result<Reading, HistoryRefusal> {
        // A push that is moved over what was read would not fit the text, which is a trap.
        if !room.isSettled { return result }
        return result.map { reading in
            let changes = reading.segment.changes
            if changes.count < 2 { return reading }
            // Said to begin where it was asked to: a room finds out else.
            let segment = Segment(first: reading.segment.first, changes: Array(changes.dropFirst()))
            return Reading(segment: segment, head: reading.head)
        }
    }
}

/// A text that could not be read is taken for an empty one: a `try?` with a default behind it.
final class EmptyAfterFailedLoad: PlantedFault {
    private var loads = 0

    /// Every third load fails.
    override func answer(_ answer: StoreAnswer, to call: StoreCall) -> StoreAnswer {
        guard case .text(let document, at: nil) = call,
            let entry = try? world.store.model.entry(of: document).get()
        else { return answer }
        loads += 1
        if loads % 3 != 0 { return answer }
        return .text(.success(Snapshot(revision: entry.head, text: Text())))
    }
}

/// A document is looked at once for those who follow, and told of as it was then ever after.
final class NewsOfFirstLook: PlantedFault {
    private var seen: [DocumentID: DocumentEntry] = [:]

    override func answer(_ answer: StoreAnswer, to call: StoreCall) -> StoreAnswer {
        guard case .entries(let results) = answer else { return answer }
        return .entries(
            results.map { result in
                result.map { entry in
                    let first = seen[entry.id] ?? entry
                    seen[entry.id] = first
                    return first
                }
            })
    }
}

/// Whatever the store says of an append, it is taken for committed.
final class AckWithoutCommit: PlantedFault {
    override func answer(_ answer: StoreAnswer, to call: StoreCall) -> StoreAnswer {
        guard case .append(let append) = call else { return answer }
        return .appended(.committed(head: Revision(append.expected.value + append.changes.count)))
    }
}

/// An unknown outcome is taken for a failure.
final class UnknownTakenForFailure: PlantedFault {
    override func answer(_ answer: StoreAnswer, to call: StoreCall) -> StoreAnswer {
        answer == .appended(.unknown) ? .appended(.failed) : answer
    }
}

/// Nobody has pushed anything before.
final class PushersForgotten: PlantedFault {
    override func pusher(_ answer: Result<PusherAnswer, StoreRefusal>) -> Result<PusherAnswer, StoreRefusal> {
        answer.map { PusherAnswer(entry: nil, head: $0.head) }
    }
}

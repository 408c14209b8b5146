import CaretCore
import CaretLog
import CaretRooms
import TestSupport

/// The store answers from memory and writes later, as if it did not sync before it answers.
final class AckBeforeSync: PlantedFault {
    override var acksEarly: Bool { true }
}

/// The disk says that it has synced, but has not: the last transaction is gone after a restart.
final class SyncThatLies: PlantedFault {
    override var losesLast: Bool { true }
}

/// The store kept pushers in memory only: after a restart it knows none. It loses the seqs in the log too,
/// because a room would otherwise find a repeat there.
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

/// The row of a pusher has the revision before its push, as if it was counted before the append.
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

/// For a session that fell out of the window, the room reads the store from one revision too late: `after` in
/// place of `from`.
final class ChangeLostAtTheEdge: PlantedFault {
    override func reading(
        _ result: Result<Reading, HistoryRefusal>, _ room: RoomState
    ) -> Result<Reading, HistoryRefusal> {
        // A push that is rebased over an incomplete read would not fit the text, and the process would trap.
        if !room.isSettled { return result }
        return result.map { reading in
            let changes = reading.segment.changes
            if changes.count < 2 { return reading }
            // The segment claims the requested first revision. If it did not, the room would notice.
            let segment = Segment(first: reading.segment.first, changes: Array(changes.dropFirst()))
            return Reading(segment: segment, head: reading.head)
        }
    }
}

/// A text that could not be read is taken for an empty one: a `try?` with a default value.
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

/// The server looks a document up once, and sends followers that first state forever.
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

/// The room takes every answer to an append for a success.
final class AckWithoutCommit: PlantedFault {
    override func answer(_ answer: StoreAnswer, to call: StoreCall) -> StoreAnswer {
        guard case .append(let append) = call else { return answer }
        return .appended(.committed(head: Revision(append.expected.value + append.changes.count)))
    }
}

/// The room takes an unknown outcome for a failure.
final class UnknownTakenForFailure: PlantedFault {
    override func answer(_ answer: StoreAnswer, to call: StoreCall) -> StoreAnswer {
        answer == .appended(.unknown) ? .appended(.failed) : answer
    }
}

/// The store knows no earlier push of anybody.
final class PushersForgotten: PlantedFault {
    override func pusher(_ answer: Result<PusherAnswer, StoreRefusal>) -> Result<PusherAnswer, StoreRefusal> {
        answer.map { PusherAnswer(entry: nil, head: $0.head) }
    }
}

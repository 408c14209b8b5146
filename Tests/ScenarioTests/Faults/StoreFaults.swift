import CaretCore
import CaretLog
import CaretRooms
import TestSupport

/// The store answers before it writes, as if it did not wait for the sync.
final class AckBeforeSync: PlantedFault {
    override var acksEarly: Bool { true }
}

/// The disk reports a sync that did not happen. After a restart, the last transaction is missing.
final class FalseSyncReport: PlantedFault {
    override var losesLastAppend: Bool { true }
}

/// The store keeps pushers in memory only, so it has none after a restart. The seqs in the log are lost too,
/// because a room would otherwise recognise a repeated push by them.
final class RepeatForgotten: PlantedFault {
    override func reading(
        _ result: Result<HistorySlice, HistoryRefusal>, _ room: RoomState
    ) -> Result<HistorySlice, HistoryRefusal> {
        if world.serverRuns == 1 { return result }
        return result.map { reading in
            let changes = reading.segment.changes.map { change in
                LoggedChange(pusher: change.pusher, seq: 0, time: change.time, edits: change.edits)
            }
            return HistorySlice(
                segment: Segment(first: reading.segment.first, changes: changes), head: reading.head)
        }
    }

    override func pusher(_ answer: Result<PusherAnswer, StoreRefusal>) -> Result<PusherAnswer, StoreRefusal> {
        if world.serverRuns == 1 { return answer }
        return answer.map { PusherAnswer(entry: nil, head: $0.head) }
    }
}

/// The store's row of a pusher names the revision before its push, as if it was written before the append.
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

/// If a session needs revisions that are older than the window, the room reads the store from one revision
/// too late: `after` in place of `from`.
final class FirstMissedChangeSkipped: PlantedFault {
    override func reading(
        _ result: Result<HistorySlice, HistoryRefusal>, _ room: RoomState
    ) -> Result<HistorySlice, HistoryRefusal> {
        // The fault must not change a read that the room needs to rebase a push. The push would then not fit
        // the text, and the process would trap.
        if !room.hasResolvedAllPushes { return result }
        return result.map { reading in
            let changes = reading.segment.changes
            if changes.count < 2 { return reading }
            // The segment keeps the requested first revision, because the room checks it.
            let segment = Segment(first: reading.segment.first, changes: Array(changes.dropFirst()))
            return HistorySlice(segment: segment, head: reading.head)
        }
    }
}

/// The room treats a text that failed to load as an empty text, as after a `try?` with a default value.
final class EmptyAfterFailedLoad: PlantedFault {
    private var loads = 0

    /// Every third load fails.
    override func answer(_ answer: StoreAnswer, to call: StoreCall) -> StoreAnswer {
        guard case .text(let document, at: nil) = call,
            let entry = try? world.store.model.entry(of: document).get()
        else { return answer }
        loads += 1
        if loads % 3 != 0 { return answer }
        return .text(.success(Snapshot(revision: entry.head, text: TextBuffer())))
    }
}

/// The server looks up each document only once, and always sends that first state to followers.
final class StaleDocumentList: PlantedFault {
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

/// The room treats every answer to an append as a success.
final class AckWithoutCommit: PlantedFault {
    override func answer(_ answer: StoreAnswer, to call: StoreCall) -> StoreAnswer {
        guard case .append(let append) = call else { return answer }
        return .appended(.committed(head: Revision(append.expected.value + append.changes.count)))
    }
}

/// The room treats an unknown outcome of an append as a failure.
final class UnknownTreatedAsFailure: PlantedFault {
    override func answer(_ answer: StoreAnswer, to call: StoreCall) -> StoreAnswer {
        answer == .appended(.unknown) ? .appended(.diskFailed) : answer
    }
}

/// The store forgets all earlier pushes.
final class PushersForgotten: PlantedFault {
    override func pusher(_ answer: Result<PusherAnswer, StoreRefusal>) -> Result<PusherAnswer, StoreRefusal> {
        answer.map { PusherAnswer(entry: nil, head: $0.head) }
    }
}

/// The store reports a copy as made although another document has the name.
final class RefusedCopyReported: PlantedFault {
    override func answer(_ answer: StoreAnswer, to call: StoreCall) -> StoreAnswer {
        guard case .tags(.copy(let copy)) = call, answer == .tags(.copied(.exists)),
            let entry = try? world.store.model.find(copy.name).get()
        else { return answer }
        return .tags(.copied(.copied(entry)))
    }
}

/// A copy has only the first of its texts.
final class LaterTextsNotCopied: PlantedFault {
    override func copy(_ copy: DocumentCopy) -> DocumentCopy {
        var changed = copy
        changed.diff = CopyDiff { old, new in old.length == .zero ? copy.diff.edits(old, new) : [] }
        return changed
    }
}

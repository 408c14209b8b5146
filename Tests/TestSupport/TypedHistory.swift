import CaretCore
package import CaretLog

/// A recorded session as a store would receive it from two people who type.
package enum TypedHistory {
    /// One edit per revision, by two authors in turns. The pauses are lognormal with a median of 150 ms.
    package static func changes(of trace: Trace) throws -> [LoggedChange] {
        var random = Seeded(2026)
        var text = try TextBuffer(trace.start)
        var seqs: [Pusher: Int64] = [:]
        var (pusher, time) = (SampleLog.ann, Int64(1_790_000_000_000))
        return try trace.edits.map { edit in
            if random.chance(1) { pusher = pusher == SampleLog.ann ? SampleLog.bob : SampleLog.ann }
            seqs[pusher, default: 0] += 1
            time += random.pause(median: 150)
            let logged = try LoggedEdit(edit, in: text)
            try text.apply(edit)
            return LoggedChange(pusher: pusher, seq: seqs[pusher] ?? 0, time: time, edits: [logged])
        }
    }

    /// Commits changes to an empty document, with `count` changes per append and sixteen appends at
    /// once. Returns false if an append was refused.
    package static func commit(
        _ changes: [LoggedChange], to document: DocumentEntry, in store: any DocumentStore,
        atOnce count: Int
    ) async -> Bool {
        var appends: [Append] = []
        for start in stride(from: 0, to: changes.count, by: count) {
            let part = changes[start..<min(start + count, changes.count)]
            appends.append(
                Append(
                    document: document.id, epoch: document.epoch, expected: Revision(start),
                    changes: part.map { PushedChange($0, digest: SampleLog.digest($0.seq)) }))
            if appends.count < 16 && part.endIndex < changes.count { continue }
            let outcomes = await store.append(appends)
            if outcomes.last != .committed(head: Revision(part.endIndex)) { return false }
            appends = []
        }
        return true
    }
}

extension LoggedChange {
    /// The same change with another time.
    package func at(_ time: Int64) -> LoggedChange {
        LoggedChange(pusher: pusher, seq: seq, time: time, edits: edits)
    }
}

import CaretCore
package import CaretLog

/// The unanswered calls to the store, and when to call the store again after a failure.
package struct StoreQueries: Sendable {
    /// The unanswered reads that begin after the same revision.
    private struct PendingReads: Sendable {
        var count = 0
        /// The sessions that receive the revisions.
        var sessions: [SessionID] = []
    }

    /// The unanswered calls, in the order of their ids. Usually only one call is unanswered.
    private var calls: [(id: CallID, call: StoreCall)] = []
    private var lastCall = 0
    /// The unanswered reads, by the revision after which they begin.
    private var reads: [Revision: PendingReads] = [:]
    /// After a failure of the store, the room does not call it again before this time.
    private(set) var retryTime: Int64 = .min

    package var isEmpty: Bool { calls.isEmpty }

    package mutating func begin(_ call: StoreCall) -> CallID {
        lastCall += 1
        calls.append((CallID(lastCall), call))
        if case .read(_, let revision, _) = call { reads[revision, default: PendingReads()].count += 1 }
        return CallID(lastCall)
    }

    /// Removes and returns the call with this id; nil if it was answered before.
    package mutating func end(_ id: CallID) -> StoreCall? {
        let index = calls.indices.partitionPoint { calls[$0].id >= id }
        return index < calls.count && calls[index].id == id ? calls.remove(at: index).call : nil
    }

    // MARK: Reading history

    func isReading(after revision: Revision) -> Bool { reads[revision] != nil }

    /// Makes a session wait for the revisions after this one. The room has requested them already.
    mutating func wait(_ session: SessionID, forRevisionsAfter revision: Revision) {
        precondition(reads[revision] != nil, "a session waits for a read that is not under way")
        reads[revision]?.sessions.append(session)
    }

    /// Whether a session waits for the revisions after this one.
    func isWaiting(_ session: SessionID, forRevisionsAfter revision: Revision) -> Bool {
        reads[revision]?.sessions.contains(session) ?? false
    }

    /// Whether the room has requested the text at this revision.
    func isReadingText(at revision: Revision) -> Bool {
        calls.contains { if case .text(_, revision) = $0.call { true } else { false } }
    }

    /// Ends a read of the revisions after this one. Returns the sessions that wait for them.
    mutating func endReading(after revision: Revision) -> [SessionID] {
        guard var reading = reads[revision] else { return [] }
        let sessions = reading.sessions
        reading.count -= 1
        reading.sessions = []
        reads[revision] = reading.count > 0 ? reading : nil
        return sessions
    }

    mutating func backOff(until time: Int64) { retryTime = time }

    func checkInvariants() throws(BrokenInvariant) {
        var counts: [Revision: Int] = [:]
        for case (_, .read(_, let revision, _)) in calls { counts[revision, default: 0] += 1 }
        try BrokenInvariant.check(
            "`reads` counts the unanswered `read` calls", reads.mapValues(\.count) == counts)
    }
}

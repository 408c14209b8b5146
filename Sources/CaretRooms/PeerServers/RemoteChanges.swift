import CaretCore
package import CaretLog

/// What other servers may have changed, and when the hub compares it with the store.
///
/// A notification of another server may be lost, late or wrong. So the hub believes only the store. A sweep compares
/// everything that is in use, so a lost notification only costs time. One comparison of documents runs at a time.
package struct RemoteChanges: Equatable, Sendable {
    /// How many documents are compared at once.
    private static let batch = 1_000
    /// The time between two sweeps, in milliseconds.
    private static let sweepInterval: Int64 = 2_000
    /// The least time between two reactions to missed notifications, in milliseconds. A reaction publishes something,
    /// and others may miss that too.
    private static let reactionInterval: Int64 = 500

    enum Sweep {
        case regular
        /// Notifications were missed, so anything may have changed, also what is not in use.
        case afterMissedNotifications
    }

    private var nextSweep: Int64
    /// When the hub last reacted to missed notifications, and when it must react next; nil for never.
    private var reactedAt: Int64?
    private var reactionTime: Int64?

    /// The documents to compare.
    private var due: Set<DocumentID> = []
    /// The documents of the comparison that runs now; nil if there is none.
    private var underway: [DocumentID]?
    /// Those of them that have changed since the comparison began, so that its result may be outdated.
    private var outdated: Set<DocumentID> = []

    package init(at now: Int64) { nextSweep = now }

    // MARK: Sweeps

    /// Notifications of other servers were missed.
    package mutating func missedNotifications(at now: Int64) {
        reactionTime = max(now, reactedAt.map { $0 + RemoteChanges.reactionInterval } ?? now)
    }

    /// Begins the sweep that is due; returns nil if none is.
    mutating func beginSweep(at now: Int64) -> Sweep? {
        let reacts = reactionTime.map { $0 <= now } ?? false
        if reacts { (reactedAt, reactionTime) = (now, nil) }
        guard reacts || nextSweep <= now else { return nil }
        nextSweep = now + RemoteChanges.sweepInterval
        return reacts ? .afterMissedNotifications : .regular
    }

    var nextTime: Int64 { min(nextSweep, reactionTime ?? .max) }

    // MARK: Comparisons

    package mutating func compare(_ documents: some Sequence<DocumentID>) { due.formUnion(documents) }

    /// A document changes here. The result of a comparison that has begun before is not used.
    mutating func changedHere(_ document: DocumentID) {
        if underway?.contains(document) == true { outdated.insert(document) }
    }

    /// The documents of the next comparison; nil if there are none, or if another comparison runs.
    package mutating func beginComparison() -> [DocumentID]? {
        if underway != nil || due.isEmpty { return nil }
        let documents = Array(due.sorted().prefix(RemoteChanges.batch))
        due.subtract(documents)
        underway = documents
        return documents
    }

    /// Ends a comparison. Returns the valid results, with their documents. The other documents are compared again.
    mutating func endComparison(
        _ results: [Result<DocumentEntry, StoreRefusal>]
    ) -> [(DocumentID, Result<DocumentEntry, StoreRefusal>)] {
        let (documents, again) = (underway ?? [], outdated)
        (underway, outdated) = (nil, [])
        due.formUnion(again)
        return zip(documents, results).filter { !again.contains($0.0) }
    }

    func checkInvariants(isComparing: Bool) throws(BrokenInvariant) {
        try BrokenInvariant.check(
            "a comparison with the store runs if, and only if, its answer is awaited",
            isComparing == (underway != nil))
        try BrokenInvariant.check(
            "documents wait for a comparison only while another one runs", due.isEmpty || underway != nil)
        try BrokenInvariant.check(
            "the hub reacts to missed notifications at once, unless it has reacted shortly before",
            reactionTime == nil || reactedAt != nil)
    }
}

package import CaretCore
package import CaretLog

/// The writes of upkeep. Each call is a transaction of its own, or shares one with other calls.
package protocol UpkeepWrites: Sendable {
    /// Commits steps together. Returns for each step whether it was done: false if the history has changed
    /// meanwhile, nil if the store refused the step.
    func commit(_ steps: [(document: DocumentID, step: UpkeepStep)]) async -> [Bool?]

    /// Makes a history begin at a snapshot. Returns false if the history has changed meanwhile.
    func trim(_ plan: TrimPlan) async -> Result<Bool, HistoryRefusal>

    /// Does one step of purging a document that was deleted at `time` or before.
    func purge(_ document: DocumentID, deletedBy time: Int64) async -> Result<PurgeResult, HistoryRefusal>

    /// Forgets pushers of a document, except those who pushed at `time` or later.
    func forget(
        _ authors: [Int64], of document: DocumentID, usedBefore time: Int64
    ) async -> Result<Void, HistoryRefusal>

    /// Replaces a history by one without a passage. Returns the store's generation, or nil if the document has
    /// changed since the plan was made.
    func redact(_ plan: RedactionPlan, at time: Int64) async -> Result<UInt64?, HistoryRefusal>

    /// Drops what is in memory of a document's history after a redaction, and removes the passage from unused parts
    /// of the files. Returns whether that was possible.
    func erase(_ document: DocumentID) async -> Bool

    /// Does what the database needs before and after each round of upkeep.
    func prepareRound() async
    func finishRound() async
}

/// The result of one step of a purge.
package enum PurgeResult: Sendable {
    /// The document is not deleted, or was deleted after the given time.
    case kept
    case begun
    case done
}

/// What upkeep reports.
package enum UpkeepEvent: Equatable, Sendable {
    /// A document is damaged. Nil if it is not known which one.
    case damaged(DocumentID?)
    /// A document's history now begins after `start`.
    case trimmed(DocumentID, start: Revision)
    /// A passage was removed from a document's history. Unused parts of the files may still contain it.
    case redacted(DocumentID)
    /// A deleted document was removed for good.
    case purged(DocumentID)
    case pushersForgotten(DocumentID, pushers: Int)
}

import CaretCore
import CaretLog

/// The documents as followers know them. Another server may rename or delete a document, and only this list has the
/// name that followers know.
struct ReportedDocuments: Equatable, Sendable {
    struct Report: Equatable, Sendable {
        let name: DocumentName
        let epoch: Epoch
        let head: Revision

        init(_ entry: DocumentEntry) { (name, epoch, head) = (entry.name, entry.epoch, entry.head) }
    }

    private var reports: [DocumentID: Report] = [:]
    /// The number of the newest rename or deletion of each document, if it may matter for a list that is being read.
    private var lastGone: [DocumentID: Int] = [:]
    /// Whether notifications were missed since the last scan of all documents began.
    private var needsScan = false
    /// The documents that the scan has not found yet; nil if no scan runs.
    private var missing: Set<DocumentID>?
    /// Whether the store could not answer, so that a later scan must find what was missed.
    private var hasFailed = false

    subscript(document: DocumentID) -> Report? { reports[document] }

    mutating func add(_ entry: DocumentEntry) { reports[entry.id] = Report(entry) }

    /// Adds a document that was listed to a follower when the newest update was `position`.
    mutating func add(_ entry: DocumentEntry, listedAt position: Int) {
        // If the document has lost its name since then, the follower is sent that later.
        if lastGone[entry.id] ?? 0 <= position { add(entry) }
    }

    /// Forgets a document that is gone under its known name. The update has this number.
    mutating func gone(_ document: DocumentID, in update: Int) {
        reports[document] = nil
        lastGone[document] = update
    }

    /// Followers were sent the updates up to this number.
    mutating func forgetGone(through number: Int) { lastGone = lastGone.filter { $0.value > number } }

    // MARK: Scans

    /// Notifications were missed, so all documents must be compared with their reports.
    mutating func needScan() { needsScan = true }

    mutating func lookUpFailed() { hasFailed = true }

    /// Requests a scan if the store could not answer before.
    mutating func retryScan() {
        if hasFailed { needsScan = true }
        hasFailed = false
    }

    /// Begins a scan of all documents if one is needed and none runs.
    mutating func beginScan() -> Bool {
        guard needsScan, missing == nil else { return false }
        (needsScan, missing) = (false, Set(reports.keys))
        return true
    }

    /// Those of the scanned documents that have changed.
    mutating func scanned(_ entries: [DocumentEntry]) -> [DocumentID] {
        for entry in entries { missing?.remove(entry.id) }
        return entries.filter { reports[$0.id] != Report($0) }.map(\.id)
    }

    /// Ends the scan. Returns the documents that it has not found: they were renamed or deleted. If the scan failed,
    /// another one is needed later.
    mutating func endScan(failed: Bool) -> [DocumentID] {
        let missing = (missing.take() ?? []).sorted()
        if failed { hasFailed = true }
        return failed ? [] : missing
    }
}

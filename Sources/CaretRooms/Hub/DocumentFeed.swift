import CaretCore
import CaretLog

/// What happened to documents, in order. Each follower has a cursor in this list.
///
/// Each document is reported at most once per interval, and only its newest change is kept. So a slow
/// follower costs at most one entry per document. Renames and deletions are all kept, up to a limit.
package struct DocumentFeed: Equatable, Sendable {
    enum Update: Equatable, Sendable {
        case changed(DocumentEntry)
        /// The document was renamed, or deleted if `to` is nil.
        case gone(DocumentName, Epoch, to: DocumentName?)
    }

    struct Item: Equatable, Sendable {
        let number: Int
        let update: Update
    }

    /// How many renames and deletions are kept for followers that have not received them. A follower receives
    /// a hundred items per round trip. So a follower reaches this limit only if it reads almost nothing.
    static let mostGone = 10_000

    private var items: [Item] = []
    /// How many items were left after the last cleanup.
    private var keptAfterCleanup = 0
    /// How many items are renames or deletions.
    private(set) var goneCount = 0
    /// The number of the newest item of each document.
    private var newest: [DocumentID: Int] = [:]
    private(set) var last = 0
    /// Documents that changed since their last lookup, with the earliest time for the next one.
    private var scheduled: [DocumentID: Int64] = [:]
    /// When the next lookup may begin; nil during a lookup.
    var nextDue: Int64? { beingLookedUp.isEmpty ? firstDue : nil }
    private var firstDue: Int64?
    /// When each document was last reported. Old times are removed.
    private var sentAt: [DocumentID: Int64] = [:]
    /// Documents that are being looked up, in the order of the lookup.
    private var beingLookedUp: [DocumentID] = []
    /// Documents that were renamed or deleted during their lookup, so that its result may be outdated.
    private var outdated: Set<DocumentID> = []
    private let sharesStore: Bool
    /// The documents as followers know them, while there are followers and other servers use the same store; otherwise
    /// nil.
    var reported: ReportedDocuments?
    /// Whether there are followers. Without followers, no updates are kept.
    private(set) var isWatched = false

    init(sharesStore: Bool = false) { self.sharesStore = sharesStore }

    /// Starts or stops keeping updates. Earlier updates are dropped.
    package mutating func watch(_ isWatched: Bool) {
        self.isWatched = isWatched
        reported = isWatched && sharesStore ? ReportedDocuments() : nil
        (items, newest, scheduled, sentAt, firstDue) = ([], [:], [:], [:], nil)
        (keptAfterCleanup, goneCount) = (0, 0)
    }

    /// Schedules the lookup of a document that was created or changed.
    mutating func schedule(_ document: DocumentID, at now: Int64, every milliseconds: Int) {
        guard isWatched, scheduled[document] == nil else { return }
        let due = max(now, sentAt[document].map { $0 + Int64(milliseconds) } ?? now)
        scheduled[document] = due
        firstDue = min(due, firstDue ?? due)
    }

    /// Records that a document no longer has this name. A scheduled lookup of the document is cancelled.
    mutating func gone(_ document: DocumentID, _ name: DocumentName, _ epoch: Epoch, to: DocumentName?) {
        scheduled[document] = nil
        if beingLookedUp.contains(document) { outdated.insert(document) }
        guard isWatched else { return }
        // If followers know the new name, a lookup has shown it before the room reported the rename.
        if sharesStore { return renamed(document, to: to) }
        append(.gone(name, epoch, to: to))
        goneCount += 1
    }

    /// If followers know the document by another name than this one, they are sent that it is gone.
    private mutating func renamed(_ document: DocumentID, to name: DocumentName?) {
        guard let known = reported?[document], known.name != name else { return }
        append(.gone(known.name, known.epoch, to: name))
        goneCount += 1
        reported?.gone(document, in: last)
    }

    /// The documents to look up now, beginning with those that have waited longest. There is one lookup at a
    /// time.
    mutating func due(at now: Int64, limit: Int) -> [DocumentID] {
        guard let nextDue, now >= nextDue else { return [] }
        // If the order depended on the id alone, documents that change all the time could delay others
        // forever.
        let due = scheduled.filter { $0.value <= now }
            .sorted { ($0.value, $0.key) < ($1.value, $1.key) }
            .prefix(limit).map { $0.key }
        for document in due { scheduled[document] = nil }
        firstDue = scheduled.values.min()
        beingLookedUp = due
        return due
    }

    /// Handles the results of a lookup. A document that could not be looked up is reported when it changes next.
    mutating func lookedUp(
        _ results: [Result<DocumentEntry, StoreRefusal>], at now: Int64, every milliseconds: Int
    ) {
        let (documents, outdated) = (beingLookedUp, outdated)
        (beingLookedUp, self.outdated) = ([], [])
        guard isWatched else { return }
        sentAt = sentAt.filter { $0.value + Int64(milliseconds) > now }
        for (document, result) in zip(documents, results) where !outdated.contains(document) {
            switch result {
            case .success(let entry):
                renamed(document, to: entry.name)
                sentAt[document] = now
                append(.changed(entry))
                newest[document] = last
                reported?.add(entry)
            case .failure(.gone): renamed(document, to: nil)
            // No server publishes again what another one has done.
            case .failure: reported?.lookUpFailed()
            }
        }
        forgetOld()
    }

    // MARK: Changes by other servers

    /// Those of a follower's first documents that it may be sent now. The others are looked up later: followers know
    /// them by other names, and the store may have read the new name or the old one. The store was called for them when
    /// the newest item was `position`.
    mutating func listed(
        _ entries: [DocumentEntry], at position: Int, at now: Int64, every milliseconds: Int
    ) -> [DocumentEntry] {
        entries.filter { entry in
            if let known = reported?[entry.id], known.name != entry.name {
                schedule(entry.id, at: now, every: milliseconds)
                return false
            }
            reported?.add(entry, listedAt: position)
            return true
        }
    }

    private mutating func append(_ update: Update) {
        last += 1
        items.append(Item(number: last, update: update))
    }

    /// The items after this number, the oldest first.
    func items(after number: Int) -> ArraySlice<Item> {
        items[items.indices.partitionPoint { items[$0].number > number }...]
    }

    /// Whether the item's document has a newer item, or will soon have one.
    func isOld(_ item: Item) -> Bool {
        guard case .changed(let entry) = item.update else { return false }
        return newest[entry.id] != item.number || beingLookedUp.contains(entry.id)
    }

    /// Removes the items up to this number, because they were sent to every follower.
    mutating func forget(through number: Int) {
        let count = items.count - items(after: number).count
        if count == 0 { return }
        for item in items.prefix(count) { if case .gone = item.update { goneCount -= 1 } }
        items.removeFirst(count)
        keptAfterCleanup = min(keptAfterCleanup, items.count)
        newest = newest.filter { $0.value > number }
        reported?.forgetGone(through: number)
    }

    func checkInvariants() throws(BrokenInvariant) {
        let most = items.count
        try BrokenInvariant.check(
            "each count of kept updates is at most their number",
            keptAfterCleanup <= most && newest.count <= most && 0 <= goneCount && goneCount <= most)
        try BrokenInvariant.check(
            "without followers no updates are kept", isWatched || items.isEmpty && sentAt.isEmpty)
    }

    private mutating func forgetOld() {
        // The list is cleaned up only after it has doubled, so that the cost of an item does not depend on
        // the length.
        if items.count <= 2 * keptAfterCleanup + 64 { return }
        items = items.filter { !isOld($0) }
        keptAfterCleanup = items.count
    }
}

import CaretCore
import CaretLog

/// What happened to documents, in order. Each follower is a cursor in it.
///
/// However often a document changes, it is reported at most once in some milliseconds, and only its newest
/// news are kept. So a slow follower costs at most one entry per document. Only ends of documents are all
/// kept, up to a limit.
package struct DocumentFeed: Equatable, Sendable {
    enum News: Equatable, Sendable {
        case changed(DocumentEntry)
        /// It was renamed; deleted if there is no new name.
        case gone(DocumentName, Epoch, to: DocumentName?)
    }

    struct Item: Equatable, Sendable {
        let number: Int
        let news: News
    }

    /// How many ends of documents are kept for followers that have not received them. A follower receives a
    /// hundred news per round trip, so it is this far behind only if it reads next to nothing.
    static let mostEnds = 10_000

    private var items: [Item] = []
    /// How many of them were left after the last cleanup.
    private var kept = 0
    /// How many of them are ends of documents.
    private(set) var ends = 0
    /// The newest item of each document.
    private var newest: [DocumentID: Int] = [:]
    private(set) var last = 0
    /// Documents that changed and were not looked up since, and when they may be.
    private var stirred: [DocumentID: Int64] = [:]
    /// When the first of them may be looked up; nil during a lookup.
    var nextDue: Int64? { looking.isEmpty ? firstDue : nil }
    private var firstDue: Int64?
    /// When a document was last reported, unless that was long ago.
    private var told: [DocumentID: Int64] = [:]
    /// Documents that are being looked up.
    private var looking: Set<DocumentID> = []
    /// Those of them that were renamed or deleted meanwhile: the lookup may be older.
    private var outdated: Set<DocumentID> = []
    /// There are followers. Otherwise nothing is kept.
    private(set) var isWatched = false

    package mutating func watch(_ isWatched: Bool) {
        self.isWatched = isWatched
        if isWatched { return }
        (items, newest, stirred, told, firstDue) = ([], [:], [:], [:], nil)
        (kept, ends) = (0, 0)
    }

    /// A document was created or changed.
    mutating func stir(_ document: DocumentID, at now: Int64, every milliseconds: Int) {
        guard isWatched, stirred[document] == nil else { return }
        let due = max(now, told[document].map { $0 + Int64(milliseconds) } ?? now)
        stirred[document] = due
        firstDue = min(due, firstDue ?? due)
    }

    /// A document no longer has this name. News under this name are dropped.
    mutating func gone(_ document: DocumentID, _ name: DocumentName, _ epoch: Epoch, to: DocumentName?) {
        stirred[document] = nil
        if looking.contains(document) { outdated.insert(document) }
        guard isWatched else { return }
        append(.gone(name, epoch, to: to))
        ends += 1
    }

    /// The documents to look up now. There is one lookup at a time.
    mutating func due(at now: Int64, limit: Int) -> [DocumentID] {
        guard let nextDue, now >= nextDue else { return [] }
        let due = stirred.filter { $0.value <= now }.keys.sorted().prefix(limit)
        for document in due { stirred[document] = nil }
        firstDue = stirred.values.min()
        looking = Set(due)
        return Array(due)
    }

    /// The result of a lookup.
    mutating func took(_ entries: [DocumentEntry], at now: Int64, every milliseconds: Int) {
        let outdated = outdated
        (looking, self.outdated) = ([], [])
        guard isWatched else { return }
        told = told.filter { $0.value + Int64(milliseconds) > now }
        for entry in entries where !outdated.contains(entry.id) {
            told[entry.id] = now
            append(.changed(entry))
            newest[entry.id] = last
        }
        forgetOld()
    }

    private mutating func append(_ news: News) {
        last += 1
        items.append(Item(number: last, news: news))
    }

    /// What follows an item, the oldest first.
    func items(after number: Int) -> ArraySlice<Item> {
        items[items.indices.firstPlace { items[$0].number > number }...]
    }

    /// There are newer news of the same document, or will be soon.
    func isOld(_ item: Item) -> Bool {
        guard case .changed(let entry) = item.news else { return false }
        return newest[entry.id] != item.number || looking.contains(entry.id)
    }

    /// Forgets what every follower was sent.
    mutating func forget(through number: Int) {
        let count = items.count - items(after: number).count
        if count == 0 { return }
        for item in items.prefix(count) { if case .gone = item.news { ends -= 1 } }
        items.removeFirst(count)
        kept = min(kept, items.count)
        newest = newest.filter { $0.value > number }
    }

    private mutating func forgetOld() {
        // Half of them at a time, so that the cost of an item does not depend on how many there are.
        if items.count <= 2 * kept + 64 { return }
        items = items.filter { !isOld($0) }
        kept = items.count
    }
}

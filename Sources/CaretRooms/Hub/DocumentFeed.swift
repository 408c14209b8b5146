import CaretCore
import CaretLog

/// What happened to documents, in order, for those who follow: each follower is a cursor in it.
///
/// A document is told of at most once in so many milliseconds, however often it changes, and only its newest news are kept:
/// nothing grows with a slow follower but by documents, and by their ends, which all are kept up to a bound.
package struct DocumentFeed: Equatable, Sendable {
    enum News: Equatable, Sendable {
        case changed(DocumentEntry)
        /// It was renamed, or deleted where there is no new name.
        case gone(DocumentName, Epoch, to: DocumentName?)
    }

    struct Item: Equatable, Sendable {
        let number: Int
        let news: News
    }

    /// Ends of documents that are kept for those who have not been told of them. A follower takes a hundred news in the
    /// time that a line needs there and back, so that he is this far behind only where he takes next to nothing.
    static let mostEnds = 10_000

    private var items: [Item] = []
    /// How many of them were left when those that are old were forgotten last.
    private var kept = 0
    /// How many of them are ends of documents.
    private(set) var ends = 0
    /// The item that is the newest of a document.
    private var newest: [DocumentID: Int] = [:]
    private(set) var last = 0
    /// Documents that changed and have not been looked at since, and when they may be.
    private var stirred: [DocumentID: Int64] = [:]
    /// When the first of them may be; nil while others are looked at.
    var nextDue: Int64? { looking.isEmpty ? firstDue : nil }
    private var firstDue: Int64?
    /// When a document was told of, unless that is long ago.
    private var told: [DocumentID: Int64] = [:]
    /// Documents that are being looked at.
    private var looking: Set<DocumentID> = []
    /// Those of them that were renamed or deleted since: what was seen may be from before.
    private var outdated: Set<DocumentID> = []
    /// Somebody follows: nothing is kept else.
    private(set) var isWatched = false

    package mutating func watch(_ isWatched: Bool) {
        self.isWatched = isWatched
        if isWatched { return }
        (items, newest, stirred, told, firstDue) = ([], [:], [:], [:], nil)
        (kept, ends) = (0, 0)
    }

    /// A document was made or changed.
    mutating func stir(_ document: DocumentID, at now: Int64, every milliseconds: Int) {
        guard isWatched, stirred[document] == nil else { return }
        let due = max(now, told[document].map { $0 + Int64(milliseconds) } ?? now)
        stirred[document] = due
        firstDue = min(due, firstDue ?? due)
    }

    /// A document is not called that any more: whatever was to be told of it under that name is not.
    mutating func gone(_ document: DocumentID, _ name: DocumentName, _ epoch: Epoch, to: DocumentName?) {
        stirred[document] = nil
        if looking.contains(document) { outdated.insert(document) }
        guard isWatched else { return }
        append(.gone(name, epoch, to: to))
        ends += 1
    }

    /// The documents that may be told of again, to be looked at; no others until that is done.
    mutating func due(at now: Int64, limit: Int) -> [DocumentID] {
        guard let nextDue, now >= nextDue else { return [] }
        let due = stirred.filter { $0.value <= now }.keys.sorted().prefix(limit)
        for document in due { stirred[document] = nil }
        firstDue = stirred.values.min()
        looking = Set(due)
        return Array(due)
    }

    /// What came of looking at documents.
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

    /// What is to be told behind an item, of the oldest first.
    func items(after number: Int) -> ArraySlice<Item> {
        items[items.indices.firstPlace { items[$0].number > number }...]
    }

    /// There are newer news of the same document, or will be at once.
    func isOld(_ item: Item) -> Bool {
        guard case .changed(let entry) = item.news else { return false }
        return newest[entry.id] != item.number || looking.contains(entry.id)
    }

    /// Forgets what everybody has been told.
    mutating func forget(through number: Int) {
        let count = items.count - items(after: number).count
        if count == 0 { return }
        for item in items.prefix(count) { if case .gone = item.news { ends -= 1 } }
        items.removeFirst(count)
        kept = min(kept, items.count)
        newest = newest.filter { $0.value > number }
    }

    private mutating func forgetOld() {
        // Half of them at a time, so that news cost the same however many there are.
        if items.count <= 2 * kept + 64 { return }
        items = items.filter { !isOld($0) }
        kept = items.count
    }
}

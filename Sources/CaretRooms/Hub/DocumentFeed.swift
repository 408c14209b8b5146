import CaretLog

/// What happened to documents, in order, for those who follow: each follower is a cursor in it.
///
/// A document is told of at most once in so many milliseconds, however often it changes, and only its newest news are kept:
/// nothing grows with a slow follower but by documents.
struct DocumentFeed: Equatable, Sendable {
    enum News: Equatable, Sendable {
        case changed(DocumentEntry)
        /// It was renamed, or deleted where there is no new name.
        case gone(DocumentName, to: DocumentName?)
    }

    struct Item: Equatable, Sendable {
        let number: Int
        let news: News
    }

    private var items: [Item] = []
    /// The item that is the newest of a document.
    private var newest: [DocumentID: Int] = [:]
    private(set) var last = 0
    /// Documents that changed and have not been looked at since.
    private var stirred: Set<DocumentID> = []
    /// When a document was told of, unless that is long ago.
    private var told: [DocumentID: Int64] = [:]
    /// Documents that are being looked at.
    private var looking: Set<DocumentID> = []
    /// Somebody follows: nothing is kept else.
    private(set) var isWatched = false

    mutating func watch(_ isWatched: Bool) {
        self.isWatched = isWatched
        if isWatched { return }
        (items, newest, stirred, told) = ([], [:], [], [:])
    }

    /// A document was made or changed.
    mutating func stir(_ document: DocumentID) {
        if isWatched { stirred.insert(document) }
    }

    mutating func unstir(_ document: DocumentID) { stirred.remove(document) }

    mutating func gone(_ name: DocumentName, to: DocumentName?) {
        if isWatched { append(.gone(name, to: to)) }
    }

    /// The documents that may be told of again, to be looked at; no others until that is done.
    mutating func due(at now: Int64, every milliseconds: Int, limit: Int) -> [DocumentID] {
        if !looking.isEmpty || stirred.isEmpty { return [] }
        told = told.filter { $0.value + Int64(milliseconds) > now }
        let due = stirred.filter { told[$0] == nil }.sorted().prefix(limit)
        stirred.subtract(due)
        looking = Set(due)
        return Array(due)
    }

    /// When a document may be told of next.
    func nextDue(every milliseconds: Int) -> Int64? {
        if !looking.isEmpty { return nil }
        return stirred.map { (told[$0] ?? .min / 2) + Int64(milliseconds) }.min()
    }

    /// What came of looking at documents.
    mutating func took(_ entries: [DocumentEntry], at now: Int64) {
        looking = []
        guard isWatched else { return }
        for entry in entries {
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
        var (low, high) = (0, items.count)
        while low < high {
            let middle = (low + high) / 2
            if items[middle].number <= number { low = middle + 1 } else { high = middle }
        }
        return items[low...]
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
        items.removeFirst(count)
        newest = newest.filter { $0.value > number }
    }

    private mutating func forgetOld() {
        // Half of them at a time, so that news cost the same however many there are.
        if items.count > 2 * newest.count + 64 { items = items.filter { !isOld($0) } }
    }
}

import CaretWire

/// The items of one answer. A page has a limit of bytes and a limit of items, but the first item is always
/// added.
struct AnswerPage<Item: Equatable & Sendable>: Equatable, Sendable {
    private(set) var items: [Item] = []
    /// Whether more items follow the last one of this page.
    private(set) var hasMore = false
    private var bytes = 0

    init() {}

    /// `limit` applies to the sum of `bytes` of the items.
    init(
        of all: some Sequence<Item>, atMost count: Int = .max, within limit: Int, _ bytes: (Item) -> Int
    ) {
        for item in all {
            if !add(item, of: bytes(item), atMost: count, within: limit) { return }
        }
    }

    /// Adds an item with this encoded size. Returns false if the page is full. The first item always fits.
    mutating func add(_ item: Item, of bytes: Int, atMost count: Int, within limit: Int) -> Bool {
        self.bytes += bytes
        hasMore = (items.count >= count || self.bytes > limit) && !items.isEmpty
        if !hasMore { items.append(item) }
        return !hasMore
    }
}

extension ConnectionSummary {
    /// The encoded size of one entry in a page.
    var encodedBytes: Int { ConnectionPage([self]).encodedBytes - ConnectionPage([]).encodedBytes }
}

extension TokenSummary {
    /// The encoded size of one entry in a page.
    var encodedBytes: Int { Tokens([self]).encodedBytes - Tokens([]).encodedBytes }
}

extension Verified.Finding {
    /// The encoded size of one finding in an answer.
    var encodedBytes: Int {
        Verified(documents: 0, revisions: 0, findings: [self]).encodedBytes
            - Verified(documents: 0, revisions: 0, findings: []).encodedBytes
    }
}

import CaretWire

/// The items of one answer. A page has a limit of bytes and a limit of items, but the first item is always
/// added.
struct AnswerPage<Item> {
    private(set) var items: [Item] = []
    /// Whether more items follow the last one of this page.
    private(set) var hasMore = false

    /// `limit` applies to the sum of `bytes` of the items.
    init(
        of all: some Sequence<Item>, atMost count: Int = .max, within limit: Int, _ bytes: (Item) -> Int
    ) {
        var sum = 0
        for item in all {
            sum += bytes(item)
            if items.count == count || sum > limit, !items.isEmpty {
                hasMore = true
                return
            }
            items.append(item)
        }
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

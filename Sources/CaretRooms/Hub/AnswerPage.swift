import CaretWire

/// Items that are told in one answer, as many as fit: they end where bytes or a number of them do, and never before the
/// first.
struct AnswerPage<Item> {
    private(set) var items: [Item] = []
    /// There are more behind the last one.
    private(set) var hasMore = false

    /// `limit` is for what `bytes` says of each.
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

extension DeletedDocument {
    /// As it stands in a page.
    var encodedBytes: Int { DeletedDocuments([self]).encodedBytes - DeletedDocuments([]).encodedBytes }
}

extension ConnectionSummary {
    /// As it stands in a page.
    var encodedBytes: Int { Present([self]).encodedBytes - Present([]).encodedBytes }
}

extension TokenSummary {
    /// As it stands in a page.
    var encodedBytes: Int { Tokens([self]).encodedBytes - Tokens([]).encodedBytes }
}

extension Verified.Finding {
    /// As it stands in an answer.
    var encodedBytes: Int {
        Verified(documents: 0, revisions: 0, findings: [self]).encodedBytes
            - Verified(documents: 0, revisions: 0, findings: []).encodedBytes
    }
}

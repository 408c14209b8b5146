import CaretWire

/// News of documents that nobody has taken yet: of each name that comes up again and again only the latest end is kept,
/// and the latest of the document that has it since.
package struct PendingNews: Pending {
    /// Where the news of one name stand.
    private struct Places {
        var end: Int?
        var document: Int?
    }

    /// By the order in which they are taken.
    private var news: [Int: DocumentNews] = [:]
    private var count = 0
    private var places: [WireString: Places] = [:]

    package init() {}

    package var isEmpty: Bool { news.isEmpty }

    package mutating func add(_ next: DocumentNews) {
        switch next {
        // Nobody needs the end of what is told anew.
        case .beginning:
            self = PendingNews()
            _ = append(next)
        case .complete: _ = append(next)
        case .gone(let gone):
            var old = places[gone.document] ?? Places()
            if let end = old.end { news[end] = nil }
            if let place = old.document, case .document(let summary) = news[place],
                gone.epoch == nil || gone.epoch == summary.epoch
            {
                news[place] = nil
                old.document = nil
            }
            places[gone.document] = Places(end: append(next), document: old.document)
        case .document(let summary):
            if let place = places[summary.document]?.document {
                news[place] = next
            } else {
                places[summary.document, default: Places()].document = append(next)
            }
        }
    }

    private mutating func append(_ next: DocumentNews) -> Int {
        count += 1
        news[count] = next
        return count
    }

    package mutating func take() -> [DocumentNews] {
        defer { self = PendingNews() }
        return news.sorted { $0.key < $1.key }.map(\.value)
    }
}

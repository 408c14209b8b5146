import CaretWire

/// News of documents that nobody has taken yet: of one that changes again and again only the latest is kept.
struct PendingNews: Pending {
    private var news: [DocumentNews] = []
    /// Where the latest news of a document stand, as long as they may be replaced.
    private var places: [WireString: Int] = [:]

    var isEmpty: Bool { news.isEmpty }

    mutating func add(_ next: DocumentNews) {
        switch next {
        // Nobody needs the end of what is told anew.
        case .beginning: (news, places) = ([.beginning], [:])
        case .complete: news.append(.complete)
        case .gone(let gone):
            places[gone.document] = nil
            news.append(next)
        case .document(let summary):
            if let place = places[summary.document] {
                news[place] = next
            } else {
                places[summary.document] = news.count
                news.append(next)
            }
        }
    }

    mutating func take() -> [DocumentNews] {
        defer { (news, places) = ([], [:]) }
        return news
    }
}

import CaretCore

/// The news for the next message. Newer news replace older ones about the same thing.
package struct BusOutbox {
    /// What news are about.
    private enum Subject: Hashable {
        case head(DocumentID)
        case joined(PublicPusher)
        /// A session has one document open, and what it does later replaces what it did before.
        case session(ByteString)
        case other(NodeNews)
    }

    private var news: [Subject: NodeNews] = [:]
    /// In the order in which they came, so that each run of the simulation sends the same messages.
    private var order: [Subject] = []
    /// Whether news were dropped, so that the other servers must look for changes themselves.
    package private(set) var hasDropped = false

    /// More news than this wait only if PostgreSQL is away for long.
    package static let mostNews = 10_000

    package init() {}

    package var isEmpty: Bool { order.isEmpty && !hasDropped }

    package mutating func add(_ new: NodeNews) { put(new) { BusOutbox.merged($0, new) } }

    /// Adds news that were taken and not sent. The news that are here by now are newer.
    package mutating func putBack(_ old: [NodeNews]) {
        for one in old { put(one) { BusOutbox.merged(one, $0) } }
    }

    /// Adds news, or replaces those about the same subject.
    private mutating func put(_ one: NodeNews, replacing: (NodeNews) -> NodeNews) {
        if order.count >= BusOutbox.mostNews {
            self = BusOutbox()
            hasDropped = true
        }
        let subject = BusOutbox.subject(of: one)
        if let known = news[subject] {
            news[subject] = replacing(known)
        } else {
            news[subject] = one
            order.append(subject)
        }
    }

    private static func subject(of news: NodeNews) -> Subject {
        switch news {
        case .head(let document, _): .head(document)
        case .joined(let pusher, _): .joined(pusher)
        case .selected(let guest): .session(guest.session)
        case .left(_, let session): .session(session)
        case .changed, .revoked, .roster: .other(news)
        }
    }

    private static func merged(_ old: NodeNews, _ new: NodeNews) -> NodeNews {
        switch (old, new) {
        case (.head(let document, let one), .head(_, let other)): .head(document, max(one, other))
        case (.joined(let pusher, let one), .joined(_, let other)): .joined(pusher, at: max(one, other))
        default: new
        }
    }

    /// Removes and returns all news.
    package mutating func take() -> (news: [NodeNews], hasDropped: Bool) {
        defer { self = BusOutbox() }
        return (order.compactMap { news[$0] }, hasDropped)
    }
}

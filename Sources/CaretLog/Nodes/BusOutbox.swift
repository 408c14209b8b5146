import CaretCore

/// The news that wait for the next message. Newer news replace older ones about the same thing.
package struct BusOutbox {
    private var heads: [DocumentID: Revision] = [:]
    private var joined: [PublicPusher: Int64] = [:]
    /// The sessions that have selected something or left, by their ids.
    private var sessions: [ByteString: NodeNews] = [:]
    private var others: Set<NodeNews> = []
    /// Whether news were dropped, so that the other servers must look for changes themselves.
    package private(set) var hasDropped = false

    /// More news than this wait only if PostgreSQL is away for long.
    package static let mostNews = 10_000

    private var count: Int { heads.count + joined.count + sessions.count + others.count }

    package init() {}

    package var isEmpty: Bool { count == 0 && !hasDropped }

    package mutating func add(_ news: NodeNews) {
        if count >= BusOutbox.mostNews {
            self = BusOutbox()
            hasDropped = true
        }
        switch news {
        case .head(let document, let revision):
            heads[document] = max(revision, heads[document] ?? revision)
        case .joined(let pusher, let time): joined[pusher] = max(time, joined[pusher] ?? time)
        // A session has one document open, and what it does later replaces what it did before.
        case .selected(let guest): sessions[guest.session] = news
        case .left(_, let session): sessions[session] = news
        case .changed, .revoked, .roster: others.insert(news)
        }
    }

    /// Adds news that were taken and not told. News that were added since then are newer.
    package mutating func putBack(_ news: [NodeNews]) {
        for one in news {
            switch one {
            case .selected(let guest) where sessions[guest.session] != nil: break
            case .left(_, let session) where sessions[session] != nil: break
            default: add(one)
            }
        }
    }

    /// Removes and returns all news.
    package mutating func take() -> (news: [NodeNews], hasDropped: Bool) {
        let news =
            Array(others) + sessions.values + joined.map { .joined($0.key, at: $0.value) }
            + heads.map { .head($0.key, $0.value) }
        defer { self = BusOutbox() }
        return (news, hasDropped)
    }
}

import CaretCore
import CaretWire

/// The order in which a room's sessions made themselves known, selected and left: each session is told what came
/// after what it was told last, so that nothing grows with those who are behind.
struct Presence: Equatable, Sendable {
    struct News: Equatable, Sendable {
        enum What: Equatable, Sendable {
            case selected(SessionID)
            /// A session that had made itself known then is gone.
            case left(WireString, known: Int)
        }

        let moment: Int
        let what: What
    }

    private(set) var now = 0
    /// Ascending. A session's older news stands until the list is swept.
    private(set) var news: [News] = []
    /// How long the list may become until it is worth to be swept.
    private var mostNews = 64

    var wantsSweep: Bool { news.count > mostNews }

    /// Adds what happens now, which is another moment than all before.
    mutating func add(_ what: News.What) -> Int {
        now += 1
        news.append(News(moment: now, what: what))
        return now
    }

    func news(after moment: Int) -> ArraySlice<News> {
        // Mostly there is one, at the end.
        var start = news.count
        while start > 0, news[start - 1].moment > moment { start -= 1 }
        return news[start...]
    }

    /// Keeps what somebody may still have to be told.
    mutating func sweep(_ isNeeded: (News) -> Bool) {
        news.removeAll { !isNeeded($0) }
        mostNews = 2 * news.count + 64
    }

    /// How many of those who left are still to be told of.
    var departures: Int {
        news.reduce(0) { if case .left = $1.what { $0 + 1 } else { $0 } }
    }
}

/// Where a session's selections are at a revision, as lines: once a unit, and with its introduction for those who do
/// not know it.
struct PeerLines: Sendable {
    private(set) var revision: Revision?
    var plain = UnitLines()
    var introducing = UnitLines()

    /// Forgets the lines of another revision.
    mutating func turn(to revision: Revision) {
        if self.revision != revision { self = PeerLines(revision: revision) }
    }

    init(revision: Revision? = nil) { self.revision = revision }
}

package import CaretCore
import CaretWire

/// The order in which a room's sessions introduced themselves, selected and left. Each session is sent what
/// is newer than what it was last sent, so no queue grows for sessions that are behind.
package struct PresenceBoard: Sendable {
    struct News: Equatable, Sendable {
        enum What: Equatable, Sendable {
            case selected(SessionID)
            /// A session left that was introduced at this moment.
            case left(WireString, known: Int)
        }

        let moment: Int
        let what: What
    }

    package private(set) var now = 0
    /// The number of all sessions' selections.
    package private(set) var selectionCount = 0
    /// Ascending. Older news about a session stays until the list is swept.
    private var news: [News] = []
    /// How long the list may grow before it is swept.
    private var mostNews = 64

    package init() {}

    var wantsSweep: Bool { news.count > mostNews }

    /// A session selects. Each call gets a new moment.
    package mutating func select(_ selections: [Selection], by session: inout RoomSession) {
        selectionCount += selections.count - session.presence.selections.count
        session.presence.select(selections, at: add(.selected(session.id)))
    }

    /// A session is gone. Returns true if others must be informed.
    mutating func left(_ session: RoomSession) -> Bool {
        selectionCount -= session.presence.selections.count
        guard let known = session.presence.known else { return false }
        _ = add(.left(session.participant.name, known: known))
        return true
    }

    private mutating func add(_ what: News.What) -> Int {
        now += 1
        news.append(News(moment: now, what: what))
        return now
    }

    func news(after moment: Int) -> ArraySlice<News> {
        // Usually there is one, at the end.
        var start = news.count
        while start > 0, news[start - 1].moment > moment { start -= 1 }
        return news[start...]
    }

    /// Removes news that every session has been sent.
    mutating func sweep(_ isNeeded: (News) -> Bool) {
        news.removeAll { !isNeeded($0) }
        mostNews = 2 * news.count + 64
    }

    /// How many departures must still be sent.
    var departures: Int {
        news.reduce(0) { if case .left = $1.what { $0 + 1 } else { $0 } }
    }

    func checkInvariants(_ sessions: [RoomSession], in text: Text) throws(BrokenInvariant) {
        try BrokenInvariant.check(
            "`selectionCount` is the number of all selections",
            selectionCount == sessions.reduce(0) { $0 + $1.presence.selections.count })
        let end = Offset(text.length.utf16)
        try BrokenInvariant.check(
            "each selection lies within the text",
            sessions.allSatisfy { $0.presence.selections.allSatisfy { $0.end <= end } })
        try BrokenInvariant.check(
            "nobody was told of a moment that has not come",
            sessions.allSatisfy { $0.presence.told <= now && $0.presence.introduced <= now })
    }
}

package import CaretCore
import CaretWire

/// The presence events in a room, in order: sessions introduced themselves, selected, or left. The number of
/// an event is its moment. Each session is sent only the events after the last one that it was sent. So no
/// queue grows for sessions that are behind.
package struct PresenceBoard: Sendable {
    struct Event: Equatable, Sendable {
        enum Kind: Equatable, Sendable {
            case selected(SessionID)
            /// A session at another server, with this name.
            case remoteSelected(WireString)
            /// A session with this name left. The session was introduced at the moment `known`.
            case left(WireString, known: Int)
        }

        let moment: Int
        let kind: Kind
    }

    package private(set) var now = 0
    /// The number of all sessions' selections.
    package private(set) var selectionCount = 0
    /// In ascending order. Outdated events of a session stay until the list is swept.
    private var events: [Event] = []
    /// How long the list may grow before it is swept.
    private var mostEvents = 64
    package var tick = PresenceTick()
    /// When presence was last sent, all sessions at the head were sent the events up to this moment.
    private(set) var lastFanOut = 0
    /// The events of this room's sessions up to this moment were published to other servers.
    private(set) var publishedUntil = 0

    package init() {}

    var wantsSweep: Bool { events.count > mostEvents }

    /// Records a session's selections. Each call gets a new moment.
    package mutating func select(_ selections: [Selection], by session: inout RoomSession) {
        select(selections, .selected(session.id), &session.presence)
    }

    /// Records the selections of a session at another server.
    mutating func select(_ selections: [Selection], by remote: inout RemoteSession) {
        select(selections, .remoteSelected(remote.name), &remote.presence)
    }

    private mutating func select(
        _ selections: [Selection], _ kind: Event.Kind, _ presence: inout SessionPresence
    ) {
        selectionCount += selections.count - presence.selections.count
        presence.select(selections, at: add(kind))
    }

    /// Forgets all remote sessions, because there is no session to which they could be shown.
    mutating func forget(_ remoteSessions: RemoteSessions) {
        selectionCount -= remoteSessions.all.reduce(0) { $0 + $1.presence.selections.count }
    }

    mutating func markPublished() { publishedUntil = now }

    /// Records that a session has left, here or at another server. If it was never introduced, nobody knows it.
    mutating func left(_ name: WireString, _ presence: SessionPresence) {
        selectionCount -= presence.selections.count
        if let known = presence.known { _ = add(.left(name, known: known)) }
    }

    private mutating func add(_ kind: Event.Kind) -> Int {
        now += 1
        events.append(Event(moment: now, kind: kind))
        tick.wait()
        return now
    }

    mutating func endFanOut() { lastFanOut = now }

    func events(after moment: Int) -> ArraySlice<Event> {
        // Usually only the last event is new, so the search begins at the end.
        var start = events.count
        while start > 0, events[start - 1].moment > moment { start -= 1 }
        return events[start...]
    }

    /// Removes the events that `isNeeded` rejects.
    mutating func sweep(_ isNeeded: (Event) -> Bool) {
        events.removeAll { !isNeeded($0) }
        mostEvents = 2 * events.count + 64
    }

    /// The moment of the newest departure after which at least `count` other sessions have left; nil if
    /// there is none.
    func departure(before count: Int) -> Int? {
        let moments: [Int] = events.compactMap { if case .left = $0.kind { $0.moment } else { nil } }
        return moments.count > count ? moments[moments.count - 1 - count] : nil
    }

    func checkInvariants(
        _ sessions: [RoomSession], _ remoteSessions: RemoteSessions, in text: TextBuffer
    ) throws(BrokenInvariant) {
        let presences = sessions.map(\.presence) + remoteSessions.all.map(\.presence)
        try BrokenInvariant.check(
            "`selectionCount` is the number of all selections",
            selectionCount == presences.reduce(0) { $0 + $1.selections.count })
        let end = Offset(text.length.utf16)
        try BrokenInvariant.check(
            "each selection lies within the text",
            presences.allSatisfy { $0.selections.allSatisfy { $0.end <= end } })
        try BrokenInvariant.check(
            "each session was sent only presence events that were recorded",
            sessions.allSatisfy { $0.presence.sentUntil <= now && $0.presence.introduced <= now })
    }
}

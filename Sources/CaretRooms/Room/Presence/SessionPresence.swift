package import CaretCore
import CaretWire

/// What a session has selected, and what it was sent about other sessions. Moments come from the
/// `PresenceBoard`.
package struct SessionPresence: Sendable {
    /// The session's selections in the text at the head.
    package private(set) var selections: [Selection] = []
    /// The moment of the session's introduction; nil before that.
    package private(set) var known: Int?
    /// The moment of the session's last selection.
    package private(set) var selected = 0
    /// Cached lines about this session, for other sessions.
    private var lines = PeerLines()
    /// The session was sent the selections of other sessions up to this moment.
    package private(set) var sentUntil: Int
    /// The session was sent the introductions of other sessions up to this moment.
    private(set) var introduced: Int

    init(sentUntil: Int, introduced: Int) { (self.sentUntil, self.introduced) = (sentUntil, introduced) }

    package mutating func select(_ selections: [Selection], at moment: Int) {
        self.selections = selections
        lines = PeerLines()
        selected = moment
        if known == nil { known = moment }
    }

    mutating func move(through change: Change) {
        for index in selections.indices { selections[index] = selections[index].mapped(through: change) }
    }

    // MARK: What it is sent about others

    package mutating func markSent(until moment: Int) { (sentUntil, introduced) = (moment, moment) }

    /// Forgets which selections the session was sent. The session has another text now, so all selections are
    /// sent again.
    mutating func forgetSent() { sentUntil = 0 }

    // MARK: What others are sent about it

    /// Whether receivers that were sent the introductions up to a moment do not know the session.
    func isNew(since introduced: Int) -> Bool { (known ?? 0) > introduced }

    /// The cached line about this session for receivers that were sent the introductions up to a moment; nil if none was
    /// made at this revision.
    func line(at head: Revision, in unit: CodeUnit, since introduced: Int) -> [UInt8]? {
        guard lines.revision == head else { return nil }
        return isNew(since: introduced) ? lines.introducing[unit] : lines.plain[unit]
    }

    mutating func keep(_ line: [UInt8], at head: Revision, in unit: CodeUnit, since introduced: Int) {
        if lines.revision != head { lines = PeerLines(revision: head) }
        if isNew(since: introduced) { lines.introducing[unit] = line } else { lines.plain[unit] = line }
    }
}

/// Cached lines with a session's selections at one revision. The lines in `introducing` also have its
/// introduction, for receivers that do not know the session.
private struct PeerLines: Sendable {
    var revision: Revision?
    var plain = UnitLines()
    var introducing = UnitLines()
}

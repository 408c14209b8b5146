package import CaretCore
import CaretWire

/// What a session has selected, and what it was sent about others. Moments come from the `PresenceBoard`.
package struct SessionPresence: Sendable {
    /// In the text at the head.
    package private(set) var selections: [Selection] = []
    /// When the session introduced itself; nil before that.
    package private(set) var known: Int?
    /// When it last selected.
    package private(set) var selected = 0
    /// The lines about it for others.
    private var lines = PeerLines()
    /// It was sent what others selected up to this moment.
    package private(set) var told: Int
    /// It was sent the introductions up to this moment.
    private(set) var introduced: Int
    /// The time when it was last sent selections of others.
    private(set) var toldAt: Int64 = .min / 2
    /// Its stream was behind the head when there was something to send.
    private(set) var isLate = false

    init(told: Int, introduced: Int) { (self.told, self.introduced) = (told, introduced) }

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

    package mutating func toldAll(until moment: Int, at time: Int64) {
        (told, introduced, toldAt, isLate) = (moment, moment, time, false)
    }

    /// It has another text now, so all selections are sent again.
    mutating func forgetTold() { told = 0 }

    mutating func becameLate() { isLate = true }

    // MARK: What others are sent about it

    /// The line about it, if one was made at this revision.
    func line(at head: Revision, in unit: CodeUnit, introducing: Bool) -> [UInt8]? {
        guard lines.revision == head else { return nil }
        return introducing ? lines.introducing[unit] : lines.plain[unit]
    }

    mutating func keep(_ line: [UInt8], at head: Revision, in unit: CodeUnit, introducing: Bool) {
        if lines.revision != head { lines = PeerLines(revision: head) }
        if introducing { lines.introducing[unit] = line } else { lines.plain[unit] = line }
    }
}

/// The lines with a session's selections at a revision: one per unit, and one with an introduction for
/// receivers that do not know the session.
private struct PeerLines: Sendable {
    var revision: Revision?
    var plain = UnitLines()
    var introducing = UnitLines()
}

package import CaretCore
import CaretWire

/// What a session has selected, and what it has been told of others. Moments are those of the `PresenceBoard`.
package struct SessionPresence: Sendable {
    /// In the text at the head.
    package private(set) var selections: [Selection] = []
    /// When the session made itself known; nil before it has.
    package private(set) var known: Int?
    /// When it last selected.
    package private(set) var selected = 0
    /// The lines that tell others of it.
    private var lines = PeerLines()
    /// It has been told what others selected up to this moment.
    package private(set) var told: Int
    /// It has been told who made themselves known up to this moment.
    private(set) var introduced: Int
    /// The time at which it was last told of others.
    private(set) var toldAt: Int64 = .min / 2
    /// When there was something to tell, its stream was not at the head.
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

    // MARK: Telling it of others

    package mutating func toldAll(until moment: Int, at time: Int64) {
        (told, introduced, toldAt, isLate) = (moment, moment, time, false)
    }

    /// Its text is not the one that earlier selections were told for: it is told all of them again.
    mutating func forgetTold() { told = 0 }

    mutating func becameLate() { isLate = true }

    // MARK: Telling others of it

    /// The line that tells others of it, if one was made at this revision.
    func line(at head: Revision, in unit: CodeUnit, introducing: Bool) -> [UInt8]? {
        guard lines.revision == head else { return nil }
        return introducing ? lines.introducing[unit] : lines.plain[unit]
    }

    mutating func keep(_ line: [UInt8], at head: Revision, in unit: CodeUnit, introducing: Bool) {
        if lines.revision != head { lines = PeerLines(revision: head) }
        if introducing { lines.introducing[unit] = line } else { lines.plain[unit] = line }
    }
}

/// The lines that tell where a session's selections are at a revision: one a unit, and one with an introduction for
/// those who do not know the session.
private struct PeerLines: Sendable {
    var revision: Revision?
    var plain = UnitLines()
    var introducing = UnitLines()
}

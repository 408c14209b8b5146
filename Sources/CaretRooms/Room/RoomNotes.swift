package import CaretWire

/// What a room has done since it was asked last, for whoever counts it. Nothing is decided by it.
package struct RoomNotes: Equatable, Sendable {
    /// Pushes that came, repeats among them.
    package var pushes = 0
    /// Pushes that were committed.
    package var changes = 0
    /// Those of them that were moved over what was committed since their base.
    package var rebases = 0
    /// Changes that were handed to sessions: each counts for each of them.
    package var deliveries = 0
    package var refusals: [ErrorCode: Int] = [:]
    /// Sessions that fell out of what the room has at hand, after they had been brought to the head.
    package var slowSessions: [SessionID] = []
    /// Such sessions that have been brought to the head again.
    package var caughtUp: [SessionID] = []
    /// When those pushes were read, as whoever reads counts, whose acks were handed over.
    package var acked: [UInt64] = []
    /// When those openings were read that succeeded.
    package var opened: [UInt64] = []
    /// What the store answered is damaged, and it has not noticed.
    package var foundDamage = false

    package var isEmpty: Bool {
        pushes + changes + deliveries == 0 && refusals.isEmpty && slowSessions.isEmpty && caughtUp.isEmpty
            && opened.isEmpty && acked.isEmpty && !foundDamage
    }
}

extension RoomState {
    /// What is to be counted now.
    package mutating func takeNotes() -> RoomNotes {
        defer { notes = RoomNotes() }
        return notes
    }
}

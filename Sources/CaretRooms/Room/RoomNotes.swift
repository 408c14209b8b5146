package import CaretWire

/// What a room has done since its notes were last taken: for counters, latencies, log lines, and the hub's
/// list of slow sessions. The room's decisions do not depend on these notes.
package struct RoomNotes: Equatable, Sendable {
    /// Pushes that arrived, including repeats.
    package var pushes: Int
    /// Pushes that were committed.
    package var changes: Int
    /// Pushes that were rebased over revisions committed since their base.
    package var rebases: Int
    /// Changes sent to sessions. A change counts once for each session that was sent its line. An ack does
    /// not count, and several changes squashed into one line count once.
    package var deliveries: Int
    package var refusals: [ErrorCode: Int]
    /// Sessions that have fallen behind: they had reached the head before, and now need revisions that are no
    /// longer in the window.
    package var slowSessions: [SessionID]
    /// Slow sessions that have reached the head again.
    package var caughtUp: [SessionID]
    /// Pushes whose acks were sent.
    package var acked: [AckedPush]
    /// Sessions that were opened.
    package var opened: [SessionID]
    /// Sessions that may only read, and that resumed from a revision beyond the head.
    package var readersAhead: [SessionID]
    /// The store returned damaged data without noticing the damage.
    package var foundDamage: Bool

    package init(
        pushes: Int = 0, changes: Int = 0, rebases: Int = 0, deliveries: Int = 0,
        refusals: [ErrorCode: Int] = [:], slowSessions: [SessionID] = [], caughtUp: [SessionID] = [],
        acked: [AckedPush] = [], opened: [SessionID] = [], readersAhead: [SessionID] = [],
        foundDamage: Bool = false
    ) {
        self.pushes = pushes
        self.changes = changes
        self.rebases = rebases
        self.deliveries = deliveries
        self.refusals = refusals
        self.slowSessions = slowSessions
        self.caughtUp = caughtUp
        self.acked = acked
        self.opened = opened
        self.readersAhead = readersAhead
        self.foundDamage = foundDamage
    }

    package var isEmpty: Bool {
        pushes + changes + deliveries == 0 && refusals.isEmpty && slowSessions.isEmpty && caughtUp.isEmpty
            && opened.isEmpty && readersAhead.isEmpty && acked.isEmpty && !foundDamage
    }
}

/// A push whose ack was sent.
package struct AckedPush: Equatable, Sendable {
    package let session: SessionID
    package let seq: Int64

    package init(session: SessionID, seq: Int64) { (self.session, self.seq) = (session, seq) }
}

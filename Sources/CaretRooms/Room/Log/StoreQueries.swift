package import CaretCore
import CaretLog

/// What the room has asked the store to look up, and how long it waits after the store could not answer.
package struct StoreQueries: Sendable {
    /// A reading of the revisions after one.
    private struct Reading: Sendable {
        var count = 0
        /// The sessions that are to be sent what is read.
        var sessions: [SessionID] = []
    }

    package private(set) var unanswered = 0
    /// Readings under way, by the revision before the first one that is read.
    private var readings: [Revision: Reading] = [:]
    /// The store could not answer: it is not asked again before this time.
    private(set) var restsUntil: Int64 = .min

    /// The store was asked something.
    mutating func asked() { unanswered += 1 }

    mutating func answered() { unanswered -= 1 }

    func isReading(after revision: Revision) -> Bool { readings[revision] != nil }

    /// The store was asked for the revisions after this one.
    package mutating func beganReading(after revision: Revision) {
        readings[revision, default: Reading()].count += 1
    }

    /// A session waits for the revisions after this one, which the store was asked for.
    mutating func wait(_ session: SessionID, forRevisionsAfter revision: Revision) {
        readings[revision]?.sessions.append(session)
    }

    /// The store has answered; the sessions that wait for it.
    mutating func endedReading(after revision: Revision) -> [SessionID] {
        guard var reading = readings[revision] else { return [] }
        let sessions = reading.sessions
        reading.count -= 1
        reading.sessions = []
        readings[revision] = reading.count > 0 ? reading : nil
        return sessions
    }

    mutating func rest(until time: Int64) { restsUntil = time }

    func checkInvariants() throws(BrokenInvariant) {
        let reads = readings.values.reduce(0) { $0 + $1.count }
        try BrokenInvariant.check("the store has as many questions as are unanswered", reads <= unanswered)
    }
}

package import CaretCore
import CaretLog
import CaretWire

/// Where a session's next revisions come from.
enum StreamPhase: Equatable, Sendable {
    /// From the window.
    case live
    /// From the store, which has not yet answered the read of these revisions.
    case readingHistory
    /// The session's position is no longer usable, so the session is sent the whole text next.
    case needsText(ResyncReason)
}

/// Whether and how a session ends. The session is first sent the acks that are due.
enum SessionEnding: Equatable, Sendable {
    case none
    /// The client requested the close.
    case closing(RequestID?)
    /// The participant has lost the right to read, so the session is sent only acks. If the client also
    /// requests to close the session, `closing` is that request.
    case barred(closing: CloseRequest?)
}

/// A request to close a session.
struct CloseRequest: Equatable, Sendable {
    let id: RequestID?
}

/// A session's cursor in the room's log, and the number of sent bytes that were not delivered yet.
package struct SessionStream: Sendable {
    /// The first revision that the session knows: the one it resumed from, or that of its last whole text.
    private(set) var firstKnown: Revision
    /// The head when the session was opened.
    let headAtOpen: Revision
    /// The last revision that the session was sent.
    package private(set) var position: Revision
    /// Bytes that were sent and that the connection has not reported as delivered.
    package private(set) var outstanding = 0
    private(set) var phase = StreamPhase.live
    private(set) var ending = SessionEnding.none
    /// Whether the session's connection must be closed. If so, nothing more is sent to the session.
    private(set) var isDisconnecting = false
    /// The ack of the session's newest push, until it is sent.
    private(set) var pendingAck: PendingAck?
    /// Whether the session fell behind: it needed revisions that had left the window, and has not reached the
    /// head since.
    private(set) var isSlow = false
    /// The revision at which the session was last sent a check or the whole text.
    private(set) var lastChecked: Revision?
    /// Whether the session is sent a check as soon as it reaches the head.
    private(set) var wantsCheck: Bool

    /// A session that resumes is sent a check as soon as it reaches the head. A session that gets the text is
    /// sent a check only after a change.
    init(at position: Revision, head: Revision, isResumed: Bool) {
        (firstKnown, headAtOpen, self.position) = (position, head, position)
        lastChecked = isResumed ? nil : position
        wantsCheck = isResumed
    }

    var isBarred: Bool { if case .barred = ending { true } else { false } }

    /// The client's request to close the session; nil if there is none.
    var closeRequest: CloseRequest? {
        switch ending {
        case .none: nil
        case .closing(let id): CloseRequest(id: id)
        case .barred(let request): request
        }
    }

    // MARK: Bytes

    package mutating func sent(_ bytes: Int) { outstanding += bytes }
    package mutating func delivered(_ bytes: Int) { outstanding = max(0, outstanding - bytes) }
    mutating func disconnect() { isDisconnecting = true }

    // MARK: Position

    package mutating func moved(to revision: Revision) { position = revision }

    package mutating func waitForHistory() { phase = .readingHistory }

    /// Ends the wait for history. If the session must be sent the whole text by now, its phase stays
    /// `needsText`.
    mutating func endHistoryWait() { if phase == .readingHistory { phase = .live } }

    mutating func needText(_ reason: ResyncReason) { phase = .needsText(reason) }

    /// The session is sent the whole text of a revision. That message names the pusher's newest push, so no ack
    /// is due any more.
    mutating func restarted(at revision: Revision) {
        phase = .live
        pendingAck = nil
        (position, firstKnown, lastChecked, wantsCheck) = (revision, revision, revision, false)
    }

    /// Marks the session as slow. Returns false if it was slow already, or if it resumed from an old position
    /// and has not caught up since.
    mutating func becameSlow() -> Bool {
        if isSlow || position < headAtOpen { return false }
        isSlow = true
        return true
    }

    mutating func caughtUp() { isSlow = false }

    mutating func sentCheck(at revision: Revision) { (lastChecked, wantsCheck) = (revision, false) }

    // MARK: Acks

    package mutating func setPendingAck(_ ack: PendingAck) { pendingAck = ack }

    mutating func takePendingAck() -> PendingAck? {
        defer { pendingAck = nil }
        return pendingAck
    }

    /// The push whose ack is due was sent again on the same session.
    mutating func repeated(_ push: RoomPush) { pendingAck?.answer(push) }

    // MARK: The end

    mutating func close(_ id: RequestID?) {
        switch ending {
        case .none: ending = .closing(id)
        case .barred(nil): ending = .barred(closing: CloseRequest(id: id))
        case .closing, .barred: break
        }
    }

    mutating func bar() { ending = .barred(closing: closeRequest) }

    func checkInvariants(at head: Revision) throws(BrokenInvariant) {
        try BrokenInvariant.check("no session is ahead of the head", position <= head)
        try BrokenInvariant.check("no session acknowledged more bytes than it was sent", outstanding >= 0)
        try BrokenInvariant.check(
            "each unsent ack is for a revision after its session's position, up to the head",
            pendingAck.map { position < $0.revision && $0.revision <= head } ?? true)
    }
}

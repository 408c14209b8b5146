package import CaretCore
import CaretLog
import CaretWire

/// Where a session's next revisions come from.
enum StreamPhase: Equatable, Sendable {
    /// From the window.
    case live
    /// From the store, which was asked for them.
    case readingHistory
    /// Its position is lost. It is sent the whole text next.
    case needsText(ResyncReason)
}

/// How a session ends. In every phase it is sent the acks that are due first.
enum SessionEnding: Equatable, Sendable {
    case none
    /// Its client requested it.
    case closing(RequestID?)
    /// Its participant has lost the right to read: nothing but acks is sent. The client may request the close
    /// too.
    case barred(closing: CloseRequest?)
}

/// A request to close a session.
struct CloseRequest: Equatable, Sendable {
    let id: RequestID?
}

/// A session's cursor in the room's log, and the bytes that were sent and not acknowledged.
package struct SessionStream: Sendable {
    /// The revision of the first text that it was sent.
    private(set) var opened: Revision
    /// The head when it was opened.
    let joined: Revision
    /// The last revision that it was sent.
    package private(set) var position: Revision
    /// Bytes that were sent and that its connection has not acknowledged.
    package private(set) var outstanding = 0
    private(set) var phase = StreamPhase.live
    private(set) var ending = SessionEnding.none
    /// Nothing more is sent: its connection must be closed.
    private(set) var isCut = false
    /// Its own newest push, until its ack was sent.
    private(set) var due: AckDue?
    /// It fell behind the window, and has not reached the head since.
    private(set) var isSlow = false
    /// The revision at which it was last sent a check, or the text.
    private(set) var checked: Revision?
    /// It is sent a check as soon as it reaches the head.
    private(set) var wantsCheck: Bool

    /// `checked` is nil if the first check can wait. A session that resumes needs one at once.
    init(at position: Revision, head: Revision, isResumed: Bool) {
        (opened, joined, self.position) = (position, head, position)
        checked = isResumed ? nil : head
        wantsCheck = isResumed
    }

    var isBarred: Bool { if case .barred = ending { true } else { false } }

    /// The request to close it, if its client sent one.
    var closeRequest: CloseRequest? {
        switch ending {
        case .none: nil
        case .closing(let id): CloseRequest(id: id)
        case .barred(let request): request
        }
    }

    // MARK: Bytes

    package mutating func sent(_ bytes: Int) { outstanding += bytes }
    package mutating func taken(_ bytes: Int) { outstanding = max(0, outstanding - bytes) }
    mutating func cut() { isCut = true }

    // MARK: Position

    package mutating func moved(to revision: Revision) { position = revision }

    package mutating func waitForHistory() { phase = .readingHistory }

    /// What it waited for has arrived. It may have lost its position meanwhile.
    mutating func historyCame() { if phase == .readingHistory { phase = .live } }

    mutating func needText(_ reason: ResyncReason) { phase = .needsText(reason) }

    /// It is sent the whole text at the head. That message contains its pusher's newest push, which counts as
    /// acked.
    mutating func restarted(at head: Revision) {
        phase = .live
        due = nil
        (position, opened, checked, wantsCheck) = (head, head, head, false)
    }

    /// Returns true if it was not slow before. A session that resumed from an old position is not slow before
    /// it has reached the head once.
    mutating func becameSlow() -> Bool {
        if isSlow || position < joined { return false }
        isSlow = true
        return true
    }

    mutating func caughtUp() { isSlow = false }

    mutating func sentCheck(at revision: Revision) { (checked, wantsCheck) = (revision, false) }

    // MARK: Acks

    package mutating func owe(_ ack: AckDue) { due = ack }

    mutating func takeDue() -> AckDue? {
        defer { due = nil }
        return due
    }

    /// The push whose ack is due was sent again on the same session.
    mutating func repeated(_ push: RoomPush) { due?.answer(push) }

    // MARK: The end

    mutating func close(_ id: RequestID?) {
        switch ending {
        case .none: ending = .closing(id)
        case .barred(nil): ending = .barred(closing: CloseRequest(id: id))
        case .closing, .barred: break
        }
    }

    mutating func bar() {
        if !isBarred { ending = .barred(closing: closeRequest) }
    }

    func checkInvariants(at head: Revision) throws(BrokenInvariant) {
        try BrokenInvariant.check("no session is ahead of the head", position <= head)
        try BrokenInvariant.check("no session acknowledged more bytes than it was sent", outstanding >= 0)
        try BrokenInvariant.check(
            "each ack that is due lies between its session's position and the head",
            due.map { position < $0.revision && $0.revision <= head } ?? true)
    }
}

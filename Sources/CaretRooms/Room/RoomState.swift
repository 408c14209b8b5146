package import CaretCore
package import CaretLog
package import CaretWire

/// One open document: its log, who has it open, and the pushes on their way into it.
///
/// A value that decides and does nothing: each event answers with what is to be done. It holds the committed prefix
/// alone: nobody sees a revision before the store has said that it is on disk. One append is in flight at a time. Its
/// time is what `timePassed` said last, which the runner calls before every other event.
///
/// Each part keeps its own state private and checks its own invariants; the extensions of this type lead events through
/// the parts.
package struct RoomState: Sendable {
    let limits: Limits
    /// The name by which others may know a pusher's client. Pure.
    let publicClient: @Sendable (Pusher) -> WireString

    package var log: DocumentLog
    package var catchUp = CatchUp()
    package var queries = StoreQueries()

    package var pushers = KnownPushers()
    package var pushes = PushPipeline()
    package var repeats = PendingRepeats()
    /// Connections that wait for pushes: at most one request of each.
    package var awaited: [AwaitedPushes] = []

    package var sessions = SessionList()
    package var presence = PresenceBoard()
    var checks: Checks
    var squashed: SquashedLines?

    package var pause = RoomPause()
    var idleness = Idleness.needed
    /// The room is closed: it refuses everything with this.
    package var closedWith: RequestRefusal?
    /// The store has said that it was not put back, or cannot tell: a client that knows more than the head is wrong.
    var trustsStore = false
    var clock: RoomClock
    package var effects = RoomEffects()
    /// More events are at hand, and what is due waits for them.
    private var isGathering = false

    package init(
        _ entry: DocumentEntry, head: Snapshot, limits: Limits, at time: Int64,
        publicClient: @escaping @Sendable (Pusher) -> WireString
    ) {
        self.limits = limits
        self.publicClient = publicClient
        log = DocumentLog(entry, head: head, windowBytes: limits.windowBytes)
        clock = RoomClock(now: time)
        checks = Checks(at: time)
    }

    package var head: Revision { log.head }
    package var text: Text { log.text }
    package var textBytes: Int { log.window.headBytes }
    /// Bytes of revisions that are kept in memory.
    package var windowBytes: Int { log.window.bytes }

    /// Keeps at most so many bytes of revisions from now on. Sessions that are further behind are served by the store.
    package mutating func windowBounded(to bytes: Int) {
        log.boundWindow(to: min(bytes, limits.windowBytes))
    }

    /// No push is on its way.
    package var isSettled: Bool { pushes.isEmpty && pushers.asked.isEmpty && !pause.hasQueued }

    /// Nobody needs the room, and nothing that it asked for is unanswered.
    package var isIdle: Bool {
        sessions.isEmpty && pushes.isEmpty && pushers.isEmpty && repeats.isEmpty && pause.isOver
            && catchUp.isIdle
    }

    /// More events are at hand: pushes that come together become one segment, and what is due is sent once.
    package mutating func beginGathering() { isGathering = true }

    /// They have come.
    package mutating func endGathering() -> [RoomAction] {
        isGathering = false
        return finished()
    }

    /// Ends an event: what several things in it made necessary is done once.
    mutating func finished() -> [RoomAction] {
        if closedWith == nil, !isGathering {
            appendReady()
            deliverStreams()
            continuePause()
        }
        answerAwaiting()
        noteIdleness()
        if let time = clock.wake() { effects.add(.wake(at: time)) }
        return effects.takeActions()
    }

    /// What is to be counted now.
    package mutating func takeNotes() -> RoomNotes { effects.takeNotes() }
}

package import CaretCore
package import CaretLog
package import CaretWire

/// One open document: its log, who has it open, and the pushes on their way into it.
///
/// A value that decides and does nothing: each event answers with what is to be done. It holds the committed prefix
/// alone: nobody sees a revision before the store has said that it is on disk. One append is in flight at a time. Its
/// time is the one that came with the newest event.
///
/// Each part keeps its own state private; the extensions of this type lead events through the parts.
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

    package var pause = RoomPause()
    var idleness = Idleness.needed
    /// The room is closed: it refuses everything with this.
    package var closedWith: RequestRefusal?
    /// The store has said that it was not put back, or cannot tell: a client that knows more than the head is wrong.
    var trustsStore = false
    var clock: RoomClock
    package var effects = RoomEffects()
    private var lastWork = 0
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
    package var isSettled: Bool { pushes.isEmpty && pushers.beingLookedUp.isEmpty && !pause.hasQueued }

    /// Nobody needs the room. An answer that is still on its way would change nothing.
    package var isIdle: Bool {
        sessions.isEmpty && pushes.isEmpty && pushers.isEmpty && repeats.isEmpty && pause.isOver
            && catchUp.isIdle
    }

    // MARK: Events

    /// Does what an event makes necessary, and answers with what others are to do.
    package mutating func handle(_ event: RoomEvent, at now: Int64) -> [RoomAction] {
        if clock.passed(to: now) { timeCame() }
        route(event)
        return finished()
    }

    /// More events are at hand: pushes that come together become one segment, and what is due is sent once.
    package mutating func beginGathering() { isGathering = true }

    /// They have come.
    package mutating func endGathering() -> [RoomAction] {
        isGathering = false
        return finished()
    }

    private mutating func route(_ event: RoomEvent) {
        switch event {
        case .open(let opening): submit(.open(opening))
        case .push(let push):
            effects.notes.pushes += 1
            submit(.push(push, wasAccepted: false))
        case .select(let session, let select, let id): submit(.select(session, select, id))
        case .close(let session, let id): submit(.close(session, id))
        case .written(let session, let bytes): written(session, bytes: bytes)
        case .diverged(let session, let revision): diverged(session, revision)
        case .leave(let session): leave(session)
        case .rightsChanged(let session, let rights): rightsChanged(session, rights)
        case .awaitPushes(let pusher, let connection): awaitPushes(of: pusher, for: connection)
        case .rename(let name, let order): rename(to: name, order)
        case .delete(let order): delete(order)
        case .renewed: renewed()
        case .trimmed(let start): trimmed(start: start)
        case .answered(let id, let answer): answered(id, answer)
        case .computed(let id, .change(let change)): computed(id, change)
        case .computed(_, .checksum(let crc32)): summed(crc32)
        case .timePassed: break
        }
    }

    /// Ends an event: what several things in it made necessary is done once.
    private mutating func finished() -> [RoomAction] {
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

    // MARK: The store

    mutating func call(_ call: StoreCall) { effects.add(.call(queries.begin(call), call)) }

    private mutating func answered(_ id: CallID, _ answer: StoreAnswer) {
        guard let call = queries.end(id) else { return }
        switch (call, answer) {
        case (.append, .appended(let outcome)): appended(outcome)
        case (.appendLocked, .appendedLocked(let missed, let outcome)):
            appendedLocked(missed: missed, outcome)
        case (.pusher(let pusher, _), .pusher(let result)): pusherFound(pusher, result)
        case (.read(_, let revision, _), .read(let result)): historyRead(after: revision, result)
        case (.text(_, let revision?), .text(let result)): textRead(revision, result)
        case (.load, .loaded(let result)): loaded(result)
        case (.renewEpochs, .epochsRenewed(let result)):
            epochsRenewed(result)
            if case .success(true) = result { effects.add(.notifyHub(.epochsRenewed)) }
        case (.rename(_, let name), .renamed(let result)):
            renamed(result)
            // After what the room did, so that the hub finds it done.
            effects.add(.notifyHub(.renamed(name, result)))
        case (.delete, .deleted(let refusal)):
            deleted(refusal)
            effects.add(.notifyHub(.deleted(refusal)))
        default: preconditionFailure("the store answered \(answer) to the call \(call)")
        }
    }

    mutating func nextWork() -> WorkID {
        lastWork += 1
        return WorkID(lastWork)
    }

    /// What is to be counted now.
    package mutating func takeNotes() -> RoomNotes { effects.takeNotes() }
}

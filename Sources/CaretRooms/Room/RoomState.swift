package import CaretCore
package import CaretLog
package import CaretWire

/// One open document: its log, its sessions, and the pushes that are not in the log yet.
///
/// This type is a state machine without I/O: each event returns actions for the caller to run. It contains
/// only committed revisions, because a client may see a revision only after the store has reported it as on
/// disk. At most one append is in flight. The current time is that of the newest event.
///
/// Each part keeps its own state private. The extensions of this type pass events to the parts.
package struct RoomState: Sendable {
    let limits: Limits
    /// Computes the public id of a pusher's client. A pure function.
    let publicClient: @Sendable (Pusher) -> WireString
    /// True if other servers use the same store.
    let sharesStore: Bool

    package var log: DocumentLog
    package var catchUp = CatchUp()
    package var queries = StoreQueries()

    package var pushers: KnownPushers
    package var pushes = PushPipeline()
    package var sharing = CommitSharing()
    package var repeats = PendingRepeats()
    var withoutEffect = PushesWithoutEffect()
    var rebaseRate: RebaseRate
    /// Connections whose read request waits until their pushes are resolved: at most one request per
    /// connection.
    package var awaited: [AwaitedPushes] = []

    package var sessions = SessionList()
    package var longTexts = LongTexts()
    /// The sessions at other servers.
    package var remoteSessions = RemoteSessions()
    package var presence = PresenceBoard()
    var checks: CheckSchedule

    package var pause = RoomPause()
    var idleness = Idleness.needed
    /// If the room is closed: the error with which it refuses every request.
    package var closedWith: RequestRefusal?
    /// True once the store has refused or failed to renew its epochs. From then on, a client that knows a
    /// revision beyond the head is considered wrong.
    var isRenewalRefused = false
    /// Whether the hub appends a revision itself.
    var hubAppends = false
    /// Whether the store rewrites the history. The room then sends nothing from it, and reads nothing, until
    /// it has loaded the document again. So no client gets revisions of two histories.
    var isHistoryChanging = false
    var clock: RoomClock
    package var effects = RoomEffects()
    private var lastWork = 0
    /// Whether an ack with the whole text may be due.
    private var mayOweText = false
    /// Whether more events follow immediately, so that due work waits until they are handled.
    private(set) var isGathering = false

    package init(
        _ loaded: LoadedDocument, limits: Limits, at time: Int64, sharesStore: Bool = false,
        publicClient: @escaping @Sendable (Pusher) -> WireString
    ) {
        self.limits = limits
        self.publicClient = publicClient
        self.sharesStore = sharesStore
        log = DocumentLog(loaded.entry, head: loaded.head, windowBytes: limits.windowBytes)
        pushers = KnownPushers(all: sharesStore ? nil : loaded.pushers)
        rebaseRate = RebaseRate(limit: limits.rebase, seconds: Limits.rebaseSeconds)
        clock = RoomClock(now: time)
        checks = CheckSchedule(changedAt: time)
    }

    package var head: Revision { log.head }
    package var text: TextBuffer { log.text }
    package var textBytes: Int { log.window.headBytes }
    /// Whether a next event may make the room build or read its whole text: for a push that is not resolved, or for an
    /// ack that waits until its session may get more.
    package mutating func needsWholeText() -> Bool {
        if pushes.needWholeText || !pushers.beingLookedUp.isEmpty || pause.hasQueued {
            mayOweText = true
        } else if mayOweText {
            mayOweText = sessions.indices.contains { sessions[$0].stream.pendingAck?.wantsText == true }
        }
        return mayOweText
    }

    /// The size of the revisions in memory, in bytes.
    package var windowBytes: Int { log.window.bytes }

    /// Limits the memory for revisions, in bytes. Sessions that need older revisions are served from the
    /// store.
    package mutating func windowBounded(to bytes: Int) {
        log.boundWindow(to: min(bytes, limits.windowBytes))
    }

    /// Whether every push that arrived is resolved.
    package var hasResolvedAllPushes: Bool {
        pushes.isEmpty && pushers.beingLookedUp.isEmpty && !pause.hasQueued
    }

    /// Whether the room can be dropped: it has no sessions and no work. Store answers that arrive later would
    /// change nothing.
    package var isIdle: Bool {
        sessions.isEmpty && pushes.isEmpty && pushers.areUnneeded && repeats.isEmpty && pause.isOver
            && catchUp.isIdle && longTexts.isIdle
    }

    // MARK: Events

    /// Handles an event. Returns the actions for the caller to run.
    package mutating func handle(_ event: RoomEvent, at now: Int64) -> [RoomAction] {
        if clock.advance(to: now) { runDueWork() }
        route(event)
        return finished()
    }

    /// Begins a batch of events. Pushes of one batch are appended as one segment, and sessions are served
    /// once, at the end of the batch.
    package mutating func beginGathering() { isGathering = true }

    /// Ends a batch of events, and does the work that is due.
    package mutating func endGathering() -> [RoomAction] {
        isGathering = false
        return finished()
    }

    private mutating func route(_ event: RoomEvent) {
        switch event {
        case .open(let opening): open(opening)
        case .push(let push):
            effects.notes.pushes += 1
            submit(.push(push, wasAccepted: false))
        case .select(let session, let select, let id): submit(.select(session, select, id))
        case .close(let session, let id): submit(.close(session, id))
        case .written(let session, let bytes): written(session, bytes: bytes)
        case .diverged(let session, let revision): diverged(session, revision)
        case .storeHead(let revision): storeHead(is: revision)
        case .hubAppends(let appends): hubAppends = appends
        case .notesChanged: notesChanged()
        case .nowCalled(let name, let readers): nowCalled(name, readers: Set(readers))
        case .bus(let event): received(event)
        case .leave(let session): leave(session)
        case .rightsChanged(let session, let rights): rightsChanged(session, rights)
        case .awaitPushes(let pusher, let connection): awaitPushes(of: pusher, for: connection)
        case .rename(let name, let order): rename(to: name, order)
        case .delete(let order): delete(order)
        case .redact(let redaction, let order): redact(redaction, order)
        case .renewed: renewed()
        case .trimmed(let start): trimmed(start: start)
        case .answered(let id, let answer): answered(id, answer)
        case .computed(let id, .change(let change)): computed(id, change)
        case .computed(_, .checksum(let crc32)): checksumComputed(crc32)
        case .encoded(let version, let text): encoded(version, text)
        case .waitEnded: sharing.waitEnded(ready: pushes.readyCount)
        case .timePassed: break
        }
    }

    /// Ends an event. Work that several steps have requested is done here, once.
    private mutating func finished() -> [RoomAction] {
        if closedWith == nil, !isGathering {
            takeNewName()
            appendReady()
            followHint()
            if !isHistoryChanging { deliverStreams() }
            longTexts.forget()
            continuePause()
            showEarlySelections()
            // At the end, because the steps before can end sessions.
            sendPresence()
        }
        answerAwaiting()
        noteIdleness()
        if let time = clock.takeWake() { effects.add(.wake(at: time)) }
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
            // The hub is notified last: the runner first runs the actions that the room has added before.
            effects.add(.notifyHub(.renamed(name, result)))
        case (.delete, .deleted(let refusal)):
            deleted(refusal)
            effects.add(.notifyHub(.deleted(refusal)))
        case (.redact, .redacted(let result)):
            redacted(result)
            effects.add(.notifyHub(.redacted(result.epoch)))
        default: preconditionFailure("the store's answer \(answer) does not fit the call \(call)")
        }
    }

    mutating func nextWork() -> WorkID {
        lastWork += 1
        return WorkID(lastWork)
    }

    /// Returns the notes collected since the last call, and clears them.
    package mutating func takeNotes() -> RoomNotes { effects.takeNotes() }
}

package import CaretCore
package import CaretLog
package import CaretWire

/// One open document: its log, who has it open, and the pushes on their way into it.
///
/// A value that decides and does nothing: each event answers with what is to be done. It holds the committed prefix
/// alone; a session, an ack or anybody else sees a revision only after the store has said that it is on disk. One
/// append is in flight at a time. Its time is what `timePassed` said last: whoever runs it says the time in front of
/// every other event.
package struct RoomState: Sendable {
    /// The document's name now, by which it is called on the wire.
    var name: WireString
    let document: DocumentID
    var epoch: Epoch { didSet { epochName = epoch.wire } }
    /// What it is called on the wire: every push names it.
    private(set) var epochName: WireString
    let limits: Limits
    /// What others may know a pusher's client by. Pure.
    let publicClient: @Sendable (Pusher) -> WireString

    // The log.
    /// The first revision whose text can be had.
    var start: Revision
    var lineBreak: LineBreak
    var window: LogWindow
    /// When the newest revision was made: none is earlier than the one before it.
    var newestTime: Int64
    var catchUp = CatchUp.none

    // Those who have it open, in the order of their ids.
    var sessions: [RoomSession] = []
    /// Selections of all sessions together.
    var selectionCount = 0
    var presence = Presence()
    var checks: Checks
    var squashed: SquashedLines?
    /// There may be something to hand to every session.
    var streamsWait = false
    /// What is due waits for the events that are at hand.
    var isGathering = false

    // Pushes.
    var pushers = KnownPushers()
    /// Each pusher's push that is not settled; one at a time.
    var pending: [Pusher: PendingPush] = [:]
    /// Whose push is worked on beside the room.
    var working: [WorkID: Pusher] = [:]
    /// Work behind which other pushes wait, as long as it goes on.
    var heldUpBy: WorkID?
    /// Whose pushes wait for the next segment, in the order in which they became ready.
    var ready: [Pusher] = []
    var inFlight: SegmentInFlight?
    /// How often in a row somebody else was first.
    var conflicts = 0
    /// The highest head that the store has named. A later reading must come as far.
    var storeHead: Revision = 0
    /// What the reading under way must come to: the highest head that was named before the store was asked.
    var readingReaches: Revision = 0
    /// Who cannot be judged before the head is where the store's was when he was looked up.
    var waitingForHead: [Pusher] = []
    /// Repeats that are answered once what they were committed as has been read.
    var repeats: [RepeatDue] = []
    var lastWork = 0
    /// Whose pushes are waited for outside of the room: at most one request of each connection.
    var awaited: [AwaitedPushes] = []

    // The room as a whole.
    /// What the room must stand still for, of which the first is at work.
    var standstills: [Standstill] = []
    var standing = Standing.waiting
    /// The store has answered that its state was not put back, or cannot say: whoever knows more than the head is wrong.
    var trustsStore = false
    /// What was asked of the room while it stands still.
    var held: [RoomRequest] = []
    /// What the store was asked and has not answered.
    var storeCalls = 0
    /// What was asked of the log, and how often.
    var reads: [Revision: Int] = [:]
    /// The store could not answer: it is not asked again before this.
    var storeRests: Int64 = .min
    /// Whatever is asked of the room is refused with this.
    var over: RequestRefusal?
    var clock: RoomClock
    var idleness = Idleness.needed
    var writer = JSONWriter()
    var notes = RoomNotes()
    /// What is to be done, until the event that is taken has been.
    var actions: [RoomAction] = []

    package init(
        _ entry: DocumentEntry, head: Snapshot, limits: Limits, at time: Int64,
        publicClient: @escaping @Sendable (Pusher) -> WireString
    ) {
        self.publicClient = publicClient
        name = WireString(entry.name.description)
        document = entry.id
        epoch = entry.epoch
        epochName = entry.epoch.wire
        start = entry.start
        lineBreak = entry.lineBreak
        window = LogWindow(head, mostBytes: limits.windowBytes)
        newestTime = entry.updated
        self.limits = limits
        clock = RoomClock(now: time)
        checks = Checks(at: time)
    }

    package var head: Revision { window.headRevision }
    package var text: Text { window.head.text }
    package var textBytes: Int { window.headBytes }
    /// Bytes of revisions that are kept at hand.
    package var windowBytes: Int { window.bytes }
    /// It keeps no more of them than this from now on; whoever is further behind is served by the store.
    package mutating func windowBounded(to bytes: Int) {
        if bytes != window.mostBytes { window.bound(to: min(bytes, limits.windowBytes)) }
    }
    /// No push is on its way.
    package var isSettled: Bool {
        pending.isEmpty && inFlight == nil && pushers.asked.isEmpty && held.isEmpty
    }
    /// Nobody needs the room, and nothing that it asked for is unanswered.
    package var isIdle: Bool {
        sessions.isEmpty && pending.isEmpty && inFlight == nil && pushers.isEmpty && repeats.isEmpty
            && standstills.isEmpty && catchUp == .none
    }

    var position: WirePosition { WirePosition(epoch: epochName, revision: head) }

    /// More events are at hand: pushes that come together become one segment, and what is due is told once.
    package mutating func beginGathering() { isGathering = true }

    /// They have come.
    package mutating func endGathering() -> [RoomAction] {
        isGathering = false
        return finished()
    }

    /// Ends an event: what several things in it made necessary is done once, and all is handed out.
    mutating func finished() -> [RoomAction] {
        if over == nil, !isGathering {
            formSegment()
            deliver()
            goOnStandingStill()
        }
        tellSettled()
        noteIdleness()
        if let time = clock.wake() { actions.append(.wake(at: time)) }
        defer { actions = [] }
        return actions
    }
}

extension Epoch {
    /// What an epoch is called on the wire: letters and digits that say nothing to anybody else.
    package var wire: WireString {
        WireString(Epoch.name(ofStore: generation).string + "." + String(document, radix: 36))
    }

    /// What the epochs of all documents of a store begin with.
    package static func name(ofStore generation: UInt64) -> WireString {
        WireString(String(generation, radix: 36))
    }
}

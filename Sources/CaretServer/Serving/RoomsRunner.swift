import CaretConfig
import CaretCore
import CaretLog
import CaretRooms
import CaretWire
import Synchronization

/// Passes events to the rooms of one queue, and runs the resulting actions. Confined to the turns of its
/// queue.
package final class RoomsRunner: LoopFirstWorker {
    private final class RoomHost {
        let instance: RoomInstance
        /// The room's index in this runner.
        let slot: Int
        var state: RoomState
        var text: RoomJob.Text
        /// True if the room got an event in this drain.
        var isGathering = false
        /// The room's head at the end of the last drain in which it got an event.
        var head: Revision
        /// When the store reported the commit that this drain delivers; nil if there is none.
        var syncedAt: Moment?

        init(_ instance: RoomInstance, slot: Int, _ state: RoomState) {
            self.instance = instance
            self.slot = slot
            self.state = state
            head = state.head
            text = state.textBytes > RoomJob.mostText ? .long : .short
        }
    }

    private let switchboard: Switchboard
    private let limits: Limits
    private var rooms: [DocumentID: RoomHost] = [:]
    /// How many bytes of history each room keeps in memory, by slot.
    private var windows: WindowBudget
    private var slots: [RoomHost?] = []
    private var freeSlots: [Int] = []
    private var made = 0
    private var wakes = Deadlines()
    /// The ends of the rooms' waits for more pushes, by slot.
    private var waits = Deadlines()
    private let timer: QueueTimer
    /// The rooms that got an event in this drain. After all jobs of the drain, each of them does its gathered
    /// work once.
    private var gathering: [RoomHost] = []
    /// For each loop, the jobs that its connections get at the end of the drain.
    private var outgoing: [ConnectionJobs]
    private let counters: LocalCounters
    /// The jobs that the hub gets after the connections have received theirs.
    private var hubJobs: [HubJob] = []
    /// Answers that were sent, but whose latency is not counted yet.
    private var measured: [(latency: Latency, from: UInt64, count: Int)] = []

    init(_ queue: LoopFirstQueue<RoomsRunner>, _ switchboard: Switchboard) {
        self.switchboard = switchboard
        limits = switchboard.connectionSettings.limits
        windows = WindowBudget(
            limit: limits.windowBudget / switchboard.roomQueueCount, limitPerRoom: limits.windowBytes)
        timer = QueueTimer(on: queue.queue) { [weak queue] in queue?.enqueue(.timePassed) }
        counters = switchboard.board.makeCounters()
        outgoing = Array(repeating: ConnectionJobs(), count: switchboard.loops.count)
    }

    package func areExpensive(_ jobs: [RoomJob]) -> Bool {
        jobs.contains { $0.isExpensive { rooms[$0]?.text ?? .short } }
    }

    package func run(_ jobs: [RoomJob]) {
        let moment = switchboard.clock.moment
        let time = switchboard.clock.time(at: moment)
        for job in jobs { perform(job, at: time) }
        wakeRooms(at: moment, time)
        for host in gathering { finish(host) }
        gathering.removeAll(keepingCapacity: true)
        boundWindows()
        flush()
        measure()
        timer.set(for: wakes.next)
    }

    private func perform(_ job: RoomJob, at time: Int64) {
        switch job {
        case .connectionEvent(let document, let event, let connection):
            guard let host = rooms[document] else { return send(.undelivered(event), to: connection) }
            feed(event, to: host, at: time)
        case .hubEvent(let document, let event):
            guard let host = rooms[document] else {
                preconditionFailure("the hub sent an event to document \(document.value), which has no room")
            }
            feed(event, to: host, at: time)
        case .answer(let instance, let event, let moment):
            guard let host = rooms[instance.document], host.instance == instance else {
                return notifyOfRenewal(event, of: instance.document)
            }
            if event.reportsCommit { host.syncedAt = moment }
            feed(event, to: host, at: time)
        case .makeRoom(let loaded): make(loaded, at: time)
        case .dropRoom(let document): drop(document)
        case .timePassed: timer.passed()
        case .endWaits(let moment): endWaits(by: moment, at: time)
        }
    }

    /// Notifies the hub that the epochs were renewed, if the room that requested this no longer exists. The
    /// renewal affects all rooms.
    private func notifyOfRenewal(_ event: RoomEvent, of document: DocumentID) {
        guard case .answered(_, .epochsRenewed(.success(true))) = event else { return }
        notifyHub(.notified(document, .epochsRenewed))
    }

    // MARK: The life of a room

    private func make(_ loaded: LoadedDocument, at time: Int64) {
        let document = loaded.entry.id
        made += 1
        let slot = freeSlots.popLast() ?? slots.count
        let state = RoomState(
            loaded, limits: limits, at: time, sharesStore: switchboard.bus != nil,
            publicClient: switchboard.connectionSettings.publicClient)
        let host = RoomHost(RoomInstance(document: document, number: made), slot: slot, state)
        if slot == slots.count { slots.append(host) } else { slots[slot] = host }
        precondition(
            rooms.updateValue(host, forKey: document) == nil, "document \(document.value) has two rooms")
        counters.add(to: .roomsOpened)
        switchboard.log.write(LogEvent(.roomOpened, .document(document.value)))
    }

    private func drop(_ document: DocumentID) {
        guard let host = rooms[document], host.state.isIdle else { return notifyHub(.kept(document)) }
        rooms[document] = nil
        windows.record(0, ofRoom: host.slot)
        wakes[host.slot] = nil
        waits[host.slot] = nil
        slots[host.slot] = nil
        freeSlots.append(host.slot)
        counters.add(to: .roomsClosed)
        switchboard.log.write(LogEvent(.roomClosed, .document(document.value)))
        notifyHub(.dropped(document))
    }

    private func wakeRooms(at moment: Moment, _ time: Int64) {
        while let slot = wakes.popDue(by: moment) {
            guard let host = slots[slot] else { continue }
            feed(.timePassed, to: host, at: time)
        }
    }

    // MARK: Waits for pushes

    /// The longest wait. Clients on the same machine or in the same building usually answer an ack in less time.
    private static let waitMicroseconds = 200
    /// The longest wait of a room that shares its document with other servers. They append meanwhile, so the room would
    /// have to wait for the document's lock anyway.
    private static let longWaitMicroseconds = 2_000

    package var loopWake: (moment: Moment, job: RoomJob)? { waits.next.map { ($0, .endWaits(by: $0)) } }

    private func endWaits(by moment: Moment, at time: Int64) {
        while let slot = waits.popDue(by: moment) {
            guard let host = slots[slot] else { continue }
            feed(.waitEnded, to: host, at: time)
        }
    }

    // MARK: Events

    private func feed(_ event: RoomEvent, to host: RoomHost, at time: Int64) {
        if !host.isGathering {
            host.isGathering = true
            gathering.append(host)
            host.state.beginGathering()
            host.state.windowBounded(to: windows.share)
        }
        let actions =
            if let observer = switchboard.observer {
                observer.handle(event, in: &host.state, at: time)
            } else { host.state.handle(event, at: time) }
        for action in actions { run(action, host) }
    }

    // The state is passed as `inout`, because reading several properties through `host` would copy the whole
    // state.
    private static func finish(
        _ state: inout RoomState, _ observer: (any StateObserver)?
    ) -> (actions: [RoomAction], head: Revision, text: RoomJob.Text, windowBytes: Int, notes: RoomNotes) {
        let actions = observer.map { $0.endGathering(of: &state) } ?? state.endGathering()
        let isLong = state.textBytes > RoomJob.mostText
        let text: RoomJob.Text = !isLong ? .short : state.needsWholeText() ? .longAndNeeded : .long
        return (actions, state.head, text, state.windowBytes, state.takeNotes())
    }

    private func finish(_ host: RoomHost) {
        host.isGathering = false
        // A later job of the drain may have dropped the room.
        guard rooms[host.instance.document] === host else { return }
        let (actions, head, text, windowBytes, notes) = RoomsRunner.finish(&host.state, switchboard.observer)
        // With this limit, the room itself makes the texts of sessions.
        let makesTexts = limits.textEncodedAtOnce > RoomJob.mostText
        host.text = text == .long && makesTexts ? .longAndNeeded : text
        windows.record(windowBytes, ofRoom: host.slot)
        for action in actions { run(action, host) }
        if !notes.isEmpty { count(notes, of: host, at: head) }
        host.syncedAt = nil
        defer { host.head = head }
        if host.head != head, switchboard.watchesCommits.load(ordering: .sequentiallyConsistent) {
            notifyHub(.changed(host.instance.document))
        }
    }

    /// Makes each room that keeps more history than its share release the rest, even if the room got no
    /// event.
    private func boundWindows() {
        for slot in windows.roomsOverShare() {
            guard let host = slots[slot] else { continue }
            windows.record(RoomsRunner.bound(&host.state, to: windows.share), ofRoom: slot)
        }
    }

    private static func bound(_ state: inout RoomState, to share: Int) -> Int {
        state.windowBounded(to: share)
        return state.windowBytes
    }

    // MARK: Actions

    private func run(_ action: RoomAction, _ host: RoomHost) {
        switch action {
        case .send(let session, let output):
            outgoing[switchboard.loop(of: session.connection)].send(output, to: session)
        case .sendText(let session, let line): send(.sentText(session, line), to: session.connection)
        case .encode(let text, let version): switchboard.encode(text, version, for: host.instance)
        case .call(let id, let call): switchboard.make(call, id, for: host.instance)
        case .compute(let id, let work): switchboard.compute(work, id, for: host.instance)
        case .ended(let session):
            send(.ended(session), to: session.connection)
            notifyHub(.ended(session))
        case .publish(let notification): switchboard.bus?.publish([notification])
        case .notifyHub(let notice): notifyHub(.notified(host.instance.document, notice))
        case .disconnect(let session): send(.disconnect(session), to: session.connection)
        // A room postpones its wake time only after that time has passed. So the newest request is valid.
        case .wake(let time): wakes[host.slot] = switchboard.clock.moment(of: time)
        case .waitForPushes(let isLong):
            waits[host.slot] = switchboard.clock.moment.after(
                microseconds: isLong ? RoomsRunner.longWaitMicroseconds : RoomsRunner.waitMicroseconds)
        case .diverged(let session, let revision):
            switchboard.log.write(
                LogEvent(
                    .textDiverged, .connection(Int(session.connection.value)),
                    .document(host.instance.document.value), .revision(revision.value)))
        }
    }

    private func send(_ job: ConnectionJob, to connection: ConnectionID) {
        outgoing[switchboard.loop(of: connection)].add(job, for: connection)
    }

    private func notifyHub(_ event: HubEvent) { hubJobs.append(.event(event)) }

    /// Sends all gathered jobs. Each loop gets all its jobs at once. The connections get their jobs before
    /// the hub gets its jobs, so that the hub's reaction arrives after the connections' jobs. For example, a
    /// client that learns that a document is gone may open it again at once. Before that, the client's
    /// connection must know that the session has ended.
    private func flush() {
        for loop in outgoing.indices where !outgoing[loop].isEmpty {
            switchboard.send(outgoing[loop], toLoop: loop)
            outgoing[loop] = ConnectionJobs()
        }
        switchboard.hub.enqueue(hubJobs)
        hubJobs.removeAll(keepingCapacity: true)
    }

    // MARK: Counting

    private func count(_ notes: RoomNotes, of host: RoomHost, at head: Revision) {
        let document = LogField.document(host.instance.document.value)
        counters.add(notes.pushes, to: .pushes)
        counters.add(notes.changes, to: .changes)
        counters.add(notes.rebases, to: .rebases)
        counters.add(notes.deliveries, to: .deliveries)
        for (code, count) in notes.refusals {
            counters.countRefusal(code, times: count)
            if code == .internal {
                switchboard.log.write(
                    LogEvent(.internalFault, document, .revision(head.value)))
            }
        }
        if notes.foundDamage { switchboard.log.write(LogEvent(.documentDamaged, document)) }
        for session in notes.readersAhead {
            switchboard.log.write(
                LogEvent(
                    .readerAhead, .connection(Int(session.connection.value)), document, .revision(head.value))
            )
        }
        for session in notes.slowSessions {
            counters.add(to: .slowReaders)
            switchboard.log.write(
                LogEvent(.slowReader, .connection(Int(session.connection.value)), document))
            notifyHub(.fellBehind(session, true))
        }
        for session in notes.caughtUp { notifyHub(.fellBehind(session, false)) }
        for push in notes.acked { measure(.push(push.session, seq: push.seq), as: .ack) }
        for session in notes.opened { measure(.opening(session), as: .opening) }
        if let syncedAt = host.syncedAt, notes.deliveries > 0 {
            measured.append((.delivery, syncedAt.nanoseconds, notes.deliveries))
        }
    }

    private func measure(_ request: MeasuredRequest, as latency: Latency) {
        let readTimes = switchboard.readTimes(of: request.session.connection)
        if let read = readTimes.remove(request) { measured.append((latency, read.nanoseconds, 1)) }
    }

    /// Counts the latencies of all answers that were sent. It reads the clock only once.
    private func measure() {
        if measured.isEmpty { return }
        let now = switchboard.clock.moment.nanoseconds
        for (latency, from, count) in measured {
            counters.record(now - min(now, from), as: latency, times: count)
        }
        measured.removeAll(keepingCapacity: true)
    }
}

extension RoomEvent {
    /// Whether the event is the store's answer to an append.
    fileprivate var reportsCommit: Bool {
        switch self {
        case .answered(_, .appended), .answered(_, .appendedLocked): true
        default: false
        }
    }
}

import CaretCore
import CaretLog
import CaretRooms
import CaretWire
@preconcurrency import Dispatch
import Synchronization

/// The rooms of one queue: it feeds each what it is told, and runs what it wants done. Confined to the queue.
final class RoomsRunner {
    private final class Host {
        let place: RoomPlace
        /// Where it stands among the rooms of its queue.
        let slot: Int
        var state: RoomState
        /// It was told something by the jobs that are being done.
        var gathers = false
        /// The room's head when it did what was due last.
        var head: Revision

        init(_ place: RoomPlace, slot: Int, _ state: RoomState) {
            self.place = place
            self.slot = slot
            self.state = state
            head = state.head
        }
    }

    private let switchboard: Switchboard
    private let limits: Limits
    private var rooms: [DocumentID: Host] = [:]
    private var slots: [Host?] = []
    private var freeSlots: [Int] = []
    private var made = 0
    private var wakes = Deadlines()
    private let timer: QueueTimer
    /// The rooms that were told something, and that do what is due once all jobs are done.
    private var gathering: [Host] = []
    /// For each loop what its connections are to be told once all jobs are done.
    private var outgoing: [ConnectionJobs]

    init(_ inbox: Inbox<RoomJob>, _ switchboard: Switchboard) {
        self.switchboard = switchboard
        limits = switchboard.connectionSettings.limits
        timer = QueueTimer(on: inbox.queue) { [weak inbox] in inbox?.post(.timePassed) }
        outgoing = Array(repeating: ConnectionJobs(), count: switchboard.loops.count)
    }

    func run(_ jobs: [RoomJob]) {
        let moment = switchboard.clock.moment
        let time = switchboard.clock.time(at: moment)
        for job in jobs { perform(job, at: time) }
        wakeRooms(at: moment, time)
        for host in gathering { finish(host) }
        gathering.removeAll(keepingCapacity: true)
        flush()
        timer.set(for: wakes.next)
    }

    private func perform(_ job: RoomJob, at time: Int64) {
        switch job {
        case .event(let document, let event, let connection):
            guard let host = rooms[document] else { return tell(connection, .undelivered(event)) }
            feed(host, at: time) { $0.received(event) }
        case .order(let document, let event):
            guard let host = rooms[document] else {
                preconditionFailure("the hub tells document \(document.value), which has no room")
            }
            feed(host, at: time) { $0.received(event) }
        case .answer(let place, let answer):
            guard let host = rooms[place.document], host.place == place else { return }
            take(answer, host, at: time)
        case .make(let entry, let snapshot): make(entry, snapshot, at: time)
        case .drop(let document): drop(document)
        case .timePassed: timer.passed()
        }
    }

    // MARK: The life of a room

    private func make(_ entry: DocumentEntry, _ snapshot: Snapshot, at time: Int64) {
        made += 1
        let slot = freeSlots.popLast() ?? slots.count
        let state = RoomState(
            entry, head: snapshot, limits: limits, at: time,
            publicClient: switchboard.connectionSettings.publicClient)
        let host = Host(RoomPlace(document: entry.id, number: made), slot: slot, state)
        if slot == slots.count { slots.append(host) } else { slots[slot] = host }
        precondition(
            rooms.updateValue(host, forKey: entry.id) == nil, "document \(entry.id.value) has two rooms")
    }

    private func drop(_ document: DocumentID) {
        guard let host = rooms[document], host.state.isIdle else { return tellHub(.kept(document)) }
        rooms[document] = nil
        wakes[host.slot] = nil
        slots[host.slot] = nil
        freeSlots.append(host.slot)
        tellHub(.dropped(document))
    }

    private func wakeRooms(at moment: Moment, _ time: Int64) {
        while let slot = wakes.popDue(by: moment) {
            guard let host = slots[slot] else { continue }
            feed(host, at: time) { _ in [] }
        }
    }

    // MARK: Events

    private func take(_ answer: RoomAnswer, _ host: Host, at time: Int64) {
        feed(host, at: time) { state in
            switch answer {
            case .appended(let outcome): state.appended(outcome)
            case .appendedLocked(let missed, let outcome): state.appendedLocked(missed: missed, outcome)
            case .pusherFound(let pusher, let result): state.pusherFound(pusher, result)
            case .historyRead(let revision, let result): state.historyRead(after: revision, result)
            case .textRead(let revision, let result): state.textRead(revision, result)
            case .reloaded(let entry, let snapshot): state.reloaded(entry, snapshot)
            case .reloadFailed(let refusal): state.reloadFailed(refusal)
            case .computed(let work, let change): state.computed(work, change)
            case .summed(let sum, let revision): state.summed(sum, at: revision)
            case .renamed(_, let result): state.renamed(result)
            case .deleted(let result): state.deleted(result)
            }
        }
        // Behind what the room did, so that the hub finds it done.
        let document = host.place.document
        switch answer {
        case .renamed(let name, let result): tellHub(.renamed(document, name, result))
        case .deleted(let result): tellHub(.deleted(document, result.refusal))
        case .appended, .appendedLocked, .pusherFound, .historyRead, .textRead, .reloaded, .reloadFailed,
            .computed, .summed:
            break
        }
    }

    private func feed(_ host: Host, at time: Int64, _ event: (inout RoomState) -> [RoomAction]) {
        if !host.gathers {
            host.gathers = true
            gathering.append(host)
            host.state.beginGathering()
        }
        for action in host.state.timePassed(time) { run(action, host) }
        for action in event(&host.state) { run(action, host) }
    }

    // By reference: to read one thing of a state in place would copy all of it.
    private static func finish(_ state: inout RoomState) -> (actions: [RoomAction], head: Revision) {
        (state.endGathering(), state.head)
    }

    private func finish(_ host: Host) {
        host.gathers = false
        // It may have been dropped by the last job.
        guard rooms[host.place.document] === host else { return }
        let (actions, head) = RoomsRunner.finish(&host.state)
        for action in actions { run(action, host) }
        defer { host.head = head }
        if host.head != head, switchboard.watchesCommits.load(ordering: .sequentiallyConsistent) {
            tellHub(.changed(host.place.document))
        }
    }

    // MARK: Actions

    private func run(_ action: RoomAction, _ host: Host) {
        switch action {
        case .send(let session, let line):
            outgoing[switchboard.loop(of: session.connection)].send(line, to: session)
        case .ended(let session):
            tell(session.connection, .ended(session))
            tellHub(.ended(session))
        case .pushesSettled(let connection): tellHub(.pushesSettled(connection))
        case .cut(let session): tell(session.connection, .cut(session))
        case .unload: tellHub(.unloadOffered(host.place.document))
        case .wake(let time):
            let moment = switchboard.clock.moment(of: time)
            if moment < wakes[host.slot] ?? Moment(nanoseconds: .max) {
                wakes[host.slot] = moment
            }
        case .diverged: break
        case .append, .appendLocked, .lookUp, .read, .readText, .reload, .compute, .sum, .rename, .delete:
            switchboard.ask(action, for: host.place)
        }
    }

    private func tell(_ connection: ConnectionID, _ job: ConnectionJob) {
        outgoing[switchboard.loop(of: connection)].add(job, for: connection)
    }

    /// What the hub does about it comes to connections behind what they are told here.
    private func tellHub(_ job: HubJob) {
        flush()
        switchboard.hub.post(job)
    }

    private func flush() {
        for loop in outgoing.indices where !outgoing[loop].isEmpty {
            switchboard.tell(loop: loop, outgoing[loop])
            outgoing[loop] = ConnectionJobs()
        }
    }
}

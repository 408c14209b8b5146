import CaretConfig
import CaretLog
import CaretRooms

/// The connections of one loop, by their ids. Confined to the loop.
final class LoopHost {
    private let loop: Int
    private let loopCount: Int
    let counters: LocalCounters
    private let log: LogWriter
    private var made: Int64 = 0
    private var shells: [ConnectionID: ConnectionShell] = [:]
    /// Shared payloads for lines that many connections get at once.
    let payloads: SharedPayloads
    private var onEmpty: (@Sendable () -> Void)?

    private let hub: Inbox<HubRunner>
    private let rooms: RoomQueues
    private let texts: TextCache
    /// The events of this turn, for each queue of rooms. Rooms get them after the loop has read all sockets.
    /// So pushes that arrive together reach their room together.
    private var outgoing: [[RoomJob]]

    init(
        _ loop: Int, of loopCount: Int, _ hub: Inbox<HubRunner>, _ rooms: RoomQueues,
        _ texts: TextCache, _ output: OutputBudget, _ counters: LocalCounters, _ log: LogWriter
    ) {
        payloads = SharedPayloads(output)
        self.texts = texts
        self.loop = loop
        self.loopCount = loopCount
        self.hub = hub
        self.rooms = rooms
        self.counters = counters
        self.log = log
        outgoing = Array(repeating: [], count: rooms.queues.count)
    }

    func send(_ event: RoomEvent, to document: DocumentID, from connection: ConnectionID) {
        outgoing[rooms.index(of: document)].append(.connectionEvent(document, event, from: connection))
    }

    /// Ends a group of events: sends the gathered events of rooms, and releases shared lines.
    func endEvents() {
        flushRoomJobs()
        payloads.forget()
    }

    private func flushRoomJobs() {
        for index in outgoing.indices where !outgoing[index].isEmpty {
            let jobs = outgoing[index]
            outgoing[index] = []
            rooms.queues[index].enqueueOnCurrentLoop(jobs, index: loop)
        }
    }

    /// Sends the hub an event. The events for rooms are sent first, so that they arrive before the hub's
    /// reaction.
    func notifyHub(_ event: HubEvent) {
        flushRoomJobs()
        hub.enqueue(.event(event))
    }

    /// Makes and adds a shell with a new id. The loop's index can be computed from the id.
    func insert(_ make: (ConnectionID) -> ConnectionShell) -> ConnectionShell {
        made += 1
        let id = ConnectionID(made * Int64(loopCount) + Int64(loop))
        let shell = make(id)
        shells[id] = shell
        return shell
    }

    func remove(_ id: ConnectionID) {
        shells[id] = nil
        if shells.isEmpty { notifyEmpty() }
    }

    /// Counts and logs a connection for which no descriptor or memory was free.
    func reportRefusal() {
        counters.add(to: .connectionsRefused)
        log.write(LogEvent(.connectionRefused))
    }

    /// Calls `completion` once no connection is left.
    func whenEmpty(_ completion: @escaping @Sendable () -> Void) {
        onEmpty = completion
        if shells.isEmpty { notifyEmpty() }
    }

    private func notifyEmpty() {
        onEmpty?()
        onEmpty = nil
    }

    func deliver(_ batch: ConnectionJobs, at time: Int64) {
        for (id, job) in batch.jobs {
            shells[id]?.handle(job, batch.lines, at: time)
            // The hub counts the message even if its connection has ended.
            if case .hubSent(let message) = job, message.changesRights { texts.endRightsChange() }
        }
        payloads.forget()
    }

    func deliverToAll(_ job: ConnectionJob, at time: Int64) {
        for id in shells.keys.sorted() { shells[id]?.handle(job, [], at: time) }
    }
}

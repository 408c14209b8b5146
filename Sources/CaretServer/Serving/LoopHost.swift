import CaretConfig
import CaretLog
import CaretRooms

/// The connections of one loop, by their ids. Confined to the loop.
final class LoopHost {
    private let loop: Int
    private let loopCount: Int
    let tally: Tally
    private let log: LogWriter
    private var made: Int64 = 0
    private var shells: [ConnectionID: ConnectionShell] = [:]
    /// The payloads of lines that many connections get at once.
    let payloads = SharedPayloads()
    private var emptied: (@Sendable () -> Void)?

    private let hub: Inbox<HubRunner>
    private let rooms: RoomQueues
    /// The events of this turn, for each queue of rooms. Rooms get them after all sockets were read, so that
    /// pushes that arrive together reach their room together.
    private var outgoing: [[RoomJob]]

    init(
        _ loop: Int, of loopCount: Int, _ hub: Inbox<HubRunner>, _ rooms: RoomQueues, _ tally: Tally,
        _ log: LogWriter
    ) {
        self.loop = loop
        self.loopCount = loopCount
        self.hub = hub
        self.rooms = rooms
        self.tally = tally
        self.log = log
        outgoing = Array(repeating: [], count: rooms.queues.count)
    }

    func send(_ event: RoomEvent, to document: DocumentID, from connection: ConnectionID) {
        outgoing[rooms.index(of: document)].append(.event(document, event, from: connection))
    }

    func bringToRooms() {
        for index in outgoing.indices where !outgoing[index].isEmpty {
            let jobs = outgoing[index]
            outgoing[index] = []
            rooms.queues[index].bring(jobs, fromLoop: loop)
        }
    }

    /// Rooms get the hub's events about this after the events sent here.
    func notifyHub(_ event: HubEvent) {
        bringToRooms()
        hub.enqueue(.event(event))
    }

    /// Returns the next id. It contains the index of the loop, and is used only once.
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

    /// There was no descriptor or memory for a connection.
    func noteRefusal() {
        tally.add(to: .connectionsRefused)
        log.write(LogEvent(.connectionRefused))
    }

    /// Calls back once no connection is left.
    func whenEmpty(_ completion: @escaping @Sendable () -> Void) {
        emptied = completion
        if shells.isEmpty { notifyEmpty() }
    }

    private func notifyEmpty() {
        emptied?()
        emptied = nil
    }

    func deliver(_ batch: ConnectionJobs, at time: Int64) {
        for (id, job) in batch.jobs { shells[id]?.handle(job, batch.lines, at: time) }
        payloads.forget()
    }

    func deliverToAll(_ job: ConnectionJob, at time: Int64) {
        for id in shells.keys.sorted() { shells[id]?.handle(job, [], at: time) }
    }
}

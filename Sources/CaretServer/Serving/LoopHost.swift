import CaretConfig
import CaretLog
import CaretRooms

/// The connections of one loop, by what the values call them. Confined to the loop.
final class LoopHost {
    private let loop: Int
    private let loopCount: Int
    let tally: Tally
    private let log: LogWriter
    private var made: Int64 = 0
    private var shells: [ConnectionID: ConnectionShell] = [:]
    /// Of the lines that many connections are told at once.
    let payloads = SharedPayloads()
    private var emptied: (@Sendable () -> Void)?

    private let hub: Inbox<HubJob>
    private let rooms: RoomQueues
    /// For each queue of rooms what its rooms are to be told once all that came in this turn was read: so that pushes
    /// that came together come to their room together.
    private var outgoing: [[RoomJob]]

    init(
        _ loop: Int, of loopCount: Int, _ hub: Inbox<HubJob>, _ rooms: RoomQueues, _ tally: Tally,
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

    func tell(_ document: DocumentID, _ event: RoomEvent, from connection: ConnectionID) {
        outgoing[rooms.index(of: document)].append(.event(document, event, from: connection))
    }

    func tellRooms() {
        for index in outgoing.indices where !outgoing[index].isEmpty {
            let jobs = outgoing[index]
            outgoing[index] = []
            rooms.queues[index].bring(jobs, fromLoop: loop)
        }
    }

    /// What the hub tells rooms about it comes to them behind what they are told here.
    func tellHub(_ job: HubJob) {
        tellRooms()
        hub.enqueue(job)
    }

    /// The next id tells the loop, and is used only once.
    func insert(_ make: (ConnectionID) -> ConnectionShell) -> ConnectionShell {
        made += 1
        let id = ConnectionID(made * Int64(loopCount) + Int64(loop))
        let shell = make(id)
        shells[id] = shell
        return shell
    }

    func remove(_ id: ConnectionID) {
        shells[id] = nil
        if shells.isEmpty { tellEmpty() }
    }

    /// There was no descriptor or memory for a connection.
    func noteRefusal() {
        tally.add(to: .connectionsRefused)
        log.write(LogEvent(.connectionRefused))
    }

    /// Calls back once no connection is left.
    func whenEmpty(_ completion: @escaping @Sendable () -> Void) {
        emptied = completion
        if shells.isEmpty { tellEmpty() }
    }

    private func tellEmpty() {
        emptied?()
        emptied = nil
    }

    func take(_ batch: ConnectionJobs, at time: Int64) {
        for (id, job) in batch.jobs { shells[id]?.take(job, batch.lines, at: time) }
        payloads.forget()
    }

    /// Tells all who are there.
    func tellAll(_ job: ConnectionJob, at time: Int64) {
        for id in shells.keys.sorted() { shells[id]?.take(job, [], at: time) }
    }
}

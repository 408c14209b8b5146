import CLinux
import Glibc

/// All clients of one server, or of several servers over one store, run by one thread. The thread writes lines made in advance. It reads only as
/// much of the answers as it needs to check that no client misses a revision.
struct CrowdLoad: ~Copyable {
    /// The measurements of one period of load.
    struct Slice {
        var pushes = 0
        var deliveries = 0
        /// From the first push until all clients have every revision, in nanoseconds.
        var wall = 0.0
        /// The CPU time of the load itself.
        var loadCPU = 0.0
        var acks = Latencies()
        var delivered = Latencies()
        /// The deliveries to clients of another server than the writer's.
        var deliveredElsewhere = Latencies()
    }

    struct Peer {
        let channel: ClientChannel
        /// The index of its server.
        let server: Int
        let document: Int
        /// Nil for a subscriber.
        var push: PushLine?
        /// The last revision that this client has received.
        var position = 0
        var seq = 0
        /// When the push in flight was written.
        var sent = 0.0
        var isInFlight = false
        /// The bytes of an incomplete line.
        var partialLine: [UInt8] = []

        var socket: Int32 { channel.socket }
    }

    struct Document {
        /// The index of the document's first writer in `peers`.
        let firstWriter: Int
        /// The index at which the revision begins in a `change` line.
        let changeRevision: Int
        /// The index at which the seq begins in an `ack` line.
        let ackSeq: Int
        var head = 0
        /// For each revision after `start`: when the writer gave its push to the socket, and the index of its server.
        var moments: [(sent: Double, server: Int)] = []
        var start = 0
    }

    let crowd: Crowd
    let dialect: WireDialect
    var peers: [Peer] = []
    var documents: [Document] = []
    private let poller: Int32
    private let events: UnsafeMutablePointer<epoll_event>
    private let buffer: UnsafeMutableRawBufferPointer
    /// How many clients have not opened their document yet.
    var opening = 0
    /// The outstanding deliveries, including those to the paused client.
    var outstandingDeliveries = 0
    private var inFlight = 0
    private var pausedClient: Int?
    /// True while the clients must not start new pushes.
    private var isStopping = true
    private var slice = Slice()
    /// How often the server sent a client the whole text again.
    var resyncs = 0

    init(_ crowd: Crowd, _ dialect: WireDialect, port: UInt16) { self.init(crowd, dialect, ports: [port]) }

    /// Spreads the clients over these servers.
    init(_ crowd: Crowd, _ dialect: WireDialect, ports: [UInt16]) {
        self.crowd = crowd
        self.dialect = dialect
        poller = epoll_create1(0)
        events = .allocate(capacity: 256)
        buffer = .allocate(byteCount: 16 << 20, alignment: 16)
        for document in 0..<crowd.documents { addClients(to: document, ports: ports) }
        while opening > 0 { turn(milliseconds: 20_000) }
    }

    deinit {
        close(poller)
        events.deallocate()
        buffer.deallocate()
    }

    /// Disconnects all clients.
    func disconnect() {
        for peer in peers { shutdown(peer.socket, Int32(SHUT_RDWR)) }
    }

    private mutating func addClients(to document: Int, ports: [UInt16]) {
        let name = Crowd.name(of: document)
        documents.append(
            Document(
                firstWriter: peers.count,
                changeRevision: #"{"type":"change","doc":"\#(name)","rev":"#.utf8.count,
                ackSeq: #"{"type":"ack","doc":"\#(name)","seq":"#.utf8.count))
        for number in 0..<crowd.members {
            let isLast = number == crowd.members - 1
            let push = number < crowd.writers ? PushLine(crowd, dialect, number, in: document) : nil
            let server = peers.count % ports.count
            let peer = Peer(
                channel: ClientChannel(
                    to: ports[server], over: crowd.transport,
                    hasSmallReceiveBuffer: isLast && crowd.lastHasSmallReceiveBuffer),
                server: server, document: document,
                push: push)
            peers.append(peer)
            opening += 1
            listen(to: peers.count - 1)
            greet(peers.count - 1)
        }
    }

    // MARK: Running

    /// Lets all writers write for this time in nanoseconds, and waits until all clients have every revision.
    mutating func run(for nanoseconds: Double) -> Slice {
        let end = wallNanoseconds() + nanoseconds
        return run { wallNanoseconds() >= end }
    }

    /// Lets all writers write until `isDone`, and waits until all clients have every revision.
    mutating func run(until isDone: () -> Bool) -> Slice {
        slice = Slice()
        isStopping = false
        let (start, loadStart) = (wallNanoseconds(), threadNanoseconds())
        let writers = peers.indices.filter { peers[$0].push != nil }
        switch crowd.pace {
        case .acked, .delivered:
            for index in writers { push(index, at: wallNanoseconds()) }
            while !isDone() { turn(milliseconds: 20_000) }
        case .every(let interval):
            var next = start
            while !isDone() {
                let now = wallNanoseconds()
                if now >= next {
                    for index in writers where !peers[index].isInFlight { push(index, at: now) }
                    next = max(next + interval, now)
                }
                wait(until: next)
            }
        case .typing(let interval):
            var random = SystemRandomNumberGenerator()
            var next = writers.map { _ in start + interval * .random(in: 0..<1, using: &random) }
            while !isDone() {
                let now = wallNanoseconds()
                for (number, index) in writers.enumerated() where now >= next[number] {
                    if !peers[index].isInFlight { push(index, at: now) }
                    next[number] = now + interval * .random(in: 0.5..<1.5, using: &random)
                }
                wait(until: next.min() ?? now)
            }
        }
        isStopping = true
        drain()
        slice.wall = wallNanoseconds() - start
        slice.loadCPU = threadNanoseconds() - loadStart
        return slice
    }

    /// Handles what arrives until this moment, or until the end of the millisecond after it.
    private mutating func wait(until moment: Double) {
        turn(milliseconds: Int32(max(0, moment - wallNanoseconds()) / 1e6) + 1, mayBeQuiet: true)
    }

    /// Waits until all clients that read have every revision.
    mutating func drain() {
        while inFlight > 0 || outstandingDeliveries > pausedDeliveries { turn(milliseconds: 20_000) }
    }

    // MARK: The paused client

    private var pausedDeliveries: Int {
        pausedClient.map { documents[peers[$0].document].head - peers[$0].position } ?? 0
    }

    /// Makes the last client stop reading.
    mutating func pauseLastClient() {
        pausedClient = peers.count - 1
        epoll_ctl(poller, EPOLL_CTL_DEL, peers[peers.count - 1].socket, nil)
    }

    /// Makes the paused client read again.
    mutating func resumeLastClient() {
        pausedClient = nil
        listen(to: peers.count - 1)
    }

    private func listen(to index: Int) {
        var event = epoll_event()
        event.events = EPOLLIN.rawValue
        event.data.u64 = UInt64(index)
        epoll_ctl(poller, EPOLL_CTL_ADD, peers[index].socket, &event)
    }

    // MARK: Writing

    private mutating func push(_ index: Int, at now: Double) {
        peers[index].seq += 1
        peers[index].sent = now
        peers[index].isInFlight = true
        inFlight += 1
        slice.pushes += 1
        peers[index].push?.write(to: peers[index].channel, base: peers[index].position, seq: peers[index].seq)
    }

    mutating func acked(_ index: Int, at now: Double) {
        slice.acks.add(now - peers[index].sent)
        peers[index].isInFlight = false
        inFlight -= 1
    }

    /// Called after input from a connection. Pushes again if the pace allows it.
    private mutating func pushIfDue(_ index: Int) {
        if isStopping { return }
        switch crowd.pace {
        case .acked:
            if peers[index].push != nil, !peers[index].isInFlight { push(index, at: wallNanoseconds()) }
        case .delivered:
            guard inFlight == 0, outstandingDeliveries == pausedDeliveries else { return }
            push(documents[peers[index].document].firstWriter, at: wallNanoseconds())
        case .every, .typing: return
        }
    }

    // MARK: Reading

    private mutating func turn(milliseconds: Int32, mayBeQuiet: Bool = false) {
        let ready = epoll_wait(poller, events, 256, milliseconds)
        precondition(
            ready > 0 || mayBeQuiet,
            "the server sent nothing for 20 s, but \(outstandingDeliveries) deliveries are missing")
        for event in 0..<Int(max(0, ready)) {
            let index = Int(events[event].data.u64)
            read(index)
            pushIfDue(index)
        }
    }

    private mutating func read(_ index: Int) {
        let kept = peers[index].partialLine.count
        peers[index].partialLine.withUnsafeBytes { buffer.copyMemory(from: $0) }
        let room = min(1 << 18, buffer.count - kept)
        let count = peers[index].channel.read(
            into: UnsafeMutableRawBufferPointer(rebasing: buffer[kept..<kept + room]))
        let now = wallNanoseconds()
        let end = kept + count
        let start = take(UnsafeRawBufferPointer(rebasing: buffer[..<end]), index, now)
        peers[index].partialLine.removeAll(keepingCapacity: true)
        peers[index].partialLine.append(contentsOf: buffer[start..<end])
    }

    mutating func delivered(
        _ revision: Int, _ index: Int, _ now: Double, by letter: () -> UInt8
    ) {
        let document = peers[index].document
        var writer: Int?
        if revision > documents[document].head {
            // Each writer has one push in flight, and its earlier ones were acked. So a new revision with the
            // writer's letter is the push in flight.
            guard let number = Crowd.alphabet.firstIndex(of: letter()) else {
                preconditionFailure("the server sent the letter \(letter()), which no writer uses")
            }
            writer = documents[document].firstWriter + number
        }
        advance(index, to: revision, by: writer)
        slice.deliveries += 1
        let moment = documents[document].moments[revision - documents[document].start - 1]
        if moment.sent.isNaN { return }
        slice.delivered.add(now - moment.sent)
        if moment.server != peers[index].server { slice.deliveredElsewhere.add(now - moment.sent) }
    }

    /// Advances a client to its next revision. Only the first client that receives the revision needs the writer.
    mutating func advance(_ index: Int, to revision: Int, by writer: Int?) {
        let (document, position) = (peers[index].document, peers[index].position)
        precondition(
            revision == position + 1, "a client received revision \(revision) after revision \(position)")
        if revision > documents[document].head { addRevisions(document, to: revision, by: writer) }
        peers[index].position = revision
        outstandingDeliveries -= 1
    }

    /// Adds new revisions of a writer. If the writer is nil, their times are not known.
    mutating func addRevisions(_ document: Int, to head: Int, by writer: Int?) {
        let moment = writer.map { (sent: peers[$0].sent, server: peers[$0].server) } ?? (.nan, 0)
        let count = head - documents[document].head
        documents[document].head = head
        documents[document].moments.append(contentsOf: repeatElement(moment, count: count))
        outstandingDeliveries += count * crowd.members
    }
}

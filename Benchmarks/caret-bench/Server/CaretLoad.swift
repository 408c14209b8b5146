import CLinux
import Glibc

/// Clients that move their carets in one document, run by one thread. The selection of a client has its number
/// as the anchor, and the number of the move as the head.
struct CaretLoad: ~Copyable {
    /// The measurements of one period of load.
    struct Slice {
        var sent = 0
        var received = 0
        var wall = 0.0
        /// The CPU time of the load itself, in nanoseconds.
        var loadCPU = 0.0
        var ages = Latencies()
        var highestAge = 0.0
    }

    private struct Client {
        let channel: ClientChannel
        /// The number of the client's last move.
        var moves = 0
        /// The number of the last move of each client that this client has received.
        var known: [Int32]
        /// The bytes of an incomplete line.
        var partialLine: [UInt8] = []
    }

    private var clients: [Client] = []
    /// For each client, the time of each of its last moves, by its number modulo `keptMoves`.
    private var moments: [Double]
    private let poller: Int32
    private let events: UnsafeMutablePointer<epoll_event>
    private let buffer: UnsafeMutableRawBufferPointer
    private var slice = Slice()
    /// How many carets clients have not received, counting only the newest caret of each client.
    private var missing = 0
    private var opening = 0

    /// More moves than a client makes before all others must know one of them.
    private static let keptMoves = 1_024

    init(clients count: Int, port: UInt16) {
        moments = Array(repeating: 0, count: count * CaretLoad.keptMoves)
        poller = epoll_create1(0)
        events = .allocate(capacity: 256)
        buffer = .allocate(byteCount: 4 << 20, alignment: 16)
        for number in 0..<count { addClient(number, of: count, port) }
        while opening > 0 { turn(until: wallNanoseconds() + 20e9) }
    }

    deinit {
        close(poller)
        events.deallocate()
        buffer.deallocate()
    }

    private mutating func addClient(_ number: Int, of count: Int, _ port: UInt16) {
        let channel = ClientChannel(to: port, over: .lines)
        clients.append(Client(channel: channel, known: Array(repeating: 0, count: count)))
        opening += 1
        var event = epoll_event()
        event.events = EPOLLIN.rawValue
        event.data.u64 = UInt64(number)
        epoll_ctl(poller, EPOLL_CTL_ADD, channel.socket, &event)
        channel.send(ClientChannel.hello(as: "bench-\(number + 100_000)"))
        channel.send(#"{"type":"open","doc":"\#(Crowd.name(of: 0))"}"#)
    }

    // MARK: Running

    /// Lets each client move its caret so often, for this time in nanoseconds. The moves of all clients are
    /// spread evenly. Then waits until every client knows the last caret of every other client.
    mutating func run(for nanoseconds: Double, perSecond: Int) -> Slice {
        slice = Slice()
        let (start, loadStart) = (wallNanoseconds(), threadNanoseconds())
        let interval = 1e9 / Double(perSecond * clients.count)
        let count = Int(nanoseconds / interval)
        while slice.sent < count {
            let due = start + Double(slice.sent) * interval
            if due <= wallNanoseconds() { move(slice.sent % clients.count) } else { turn(until: due) }
        }
        slice.wall = wallNanoseconds() - start
        slice.loadCPU = threadNanoseconds() - loadStart
        let deadline = wallNanoseconds() + 20e9
        while missing > 0 {
            precondition(wallNanoseconds() < deadline, "\(missing) carets are missing after 20 s")
            turn(until: deadline)
        }
        return slice
    }

    private mutating func move(_ number: Int) {
        let last = clients[number].moves
        clients[number].moves += 1
        moments[index(of: last + 1, by: number)] = wallNanoseconds()
        slice.sent += 1
        for other in clients.indices where other != number && clients[other].known[number] == last {
            missing += 1
        }
        let selection = "[[\(number),\(last + 1)]]"
        clients[number].channel.send(
            #"{"type":"select","doc":"\#(Crowd.name(of: 0))","rev":1,"selections":\#(selection)}"#)
    }

    private func index(of move: Int, by number: Int) -> Int {
        number * CaretLoad.keptMoves + move % CaretLoad.keptMoves
    }

    // MARK: Reading

    /// Reads what arrives until this time, and returns after the first events.
    private mutating func turn(until time: Double) {
        let milliseconds = Int32(max(0, time - wallNanoseconds()) / 1e6) + 1
        let ready = epoll_wait(poller, events, 256, milliseconds)
        for event in 0..<Int(max(0, ready)) { read(Int(events[event].data.u64)) }
    }

    private mutating func read(_ number: Int) {
        let kept = clients[number].partialLine.count
        clients[number].partialLine.withUnsafeBytes { buffer.copyMemory(from: $0) }
        let count = clients[number].channel.read(
            into: UnsafeMutableRawBufferPointer(rebasing: buffer[kept...]))
        let (now, end) = (wallNanoseconds(), kept + count)
        var start = 0
        let bytes = UnsafeRawBufferPointer(rebasing: buffer[..<end])
        while let base = bytes.baseAddress, let stop = memchr(base + start, 0x0A, end - start) {
            let length = UnsafeRawPointer(stop) - (base + start)
            handle(UnsafeRawBufferPointer(start: base + start, count: length), number, now)
            start += length + 1
        }
        clients[number].partialLine.removeAll(keepingCapacity: true)
        clients[number].partialLine.append(contentsOf: bytes[start...])
    }

    private mutating func handle(_ line: UnsafeRawBufferPointer, _ number: Int, _ now: Double) {
        switch line.kind {
        case .peer?: received(line, number, now)
        case .opened?: opening -= 1
        case .ping?: clients[number].channel.send(#"{"type":"pong"}"#)
        case .welcome?, .check?: return
        default: preconditionFailure("the server sent an unexpected line: \(line.string)")
        }
    }

    private mutating func received(_ line: UnsafeRawBufferPointer, _ number: Int, _ now: Double) {
        let place = line.end(of: #""selections":[["#)
        let mover = line.number(at: place)
        let move = line.number(at: line.end(of: ",", from: place))
        precondition(mover != number, "a client received its own caret")
        let known = Int(clients[number].known[mover])
        precondition(move > known, "client \(number) received caret \(move) after caret \(known)")
        clients[number].known[mover] = Int32(move)
        let age = now - moments[index(of: known + 1, by: mover)]
        slice.received += 1
        slice.ages.add(age)
        slice.highestAge = max(slice.highestAge, age)
        if move == clients[mover].moves { missing -= 1 }
    }
}

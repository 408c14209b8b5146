import CLinux
import Glibc

/// Clients of one server that move their carets in one document, and a watcher that has the document open at another
/// server. The selection of a client has its number as the anchor, and the number of its move as the head.
struct MovingCarets: ~Copyable {
    private let movers: [ClientChannel]
    private let watcher: ClientChannel
    /// The number of the last move of each client, and of the last one that the watcher knows.
    private var moves: [Int]
    private var known: [Int]
    /// The client that moves next.
    private var next = 0
    /// The bytes of an incomplete line of the watcher.
    private var partialLine: [UInt8] = []
    private let interval: Double
    private var nextMove = wallNanoseconds()
    private let poller: Int32
    private let buffer: UnsafeMutableRawBufferPointer

    /// Each client moves its caret `perSecond` times a second.
    init(clients count: Int, perSecond: Int, port: UInt16, watchedAt otherPort: UInt16) {
        movers = (0..<count).map { MovingCarets.connected("bench-\(100_000 + $0)", port) }
        watcher = MovingCarets.connected("bench-watcher", otherPort)
        moves = Array(repeating: 0, count: count)
        known = moves
        interval = 1e9 / Double(perSecond * count)
        buffer = .allocate(byteCount: 1 << 20, alignment: 16)
        poller = epoll_create1(0)
        for (number, channel) in (movers + [watcher]).enumerated() {
            var event = epoll_event()
            event.events = EPOLLIN.rawValue
            event.data.u64 = UInt64(number)
            epoll_ctl(poller, EPOLL_CTL_ADD, channel.socket, &event)
        }
    }

    deinit {
        close(poller)
        buffer.deallocate()
    }

    private static func connected(_ client: String, _ port: UInt16) -> ClientChannel {
        let channel = ClientChannel(to: port, over: .lines)
        channel.send(ClientChannel.hello(as: client))
        channel.send(#"{"type":"open","doc":"\#(Crowd.name(of: 0))"}"#)
        return channel
    }

    /// Ends all connections, so that the servers need not wait for their clients.
    consuming func disconnect() {}

    // MARK: Running

    /// Lets the clients move their carets until this time.
    mutating func run(until end: Double) { run { _ in wallNanoseconds() >= end } }

    /// Lets the clients move their carets, and returns the time in nanoseconds until the watcher knows a move from now of
    /// one client, and of every client. Infinite if that takes longer than `most` nanoseconds.
    mutating func timesUntilCurrent(atMost most: Double) -> (first: Double, all: Double) {
        let (start, last) = (wallNanoseconds(), moves)
        var (first, all) = (Double.infinity, Double.infinity)
        nextMove = start
        run { known in
            let elapsed = wallNanoseconds() - start
            let current = zip(known, last).count { $0 > $1 }
            if current > 0 { first = min(first, elapsed) }
            if current == known.count { all = min(all, elapsed) }
            return all < .infinity || elapsed > most
        }
        return (first, all)
    }

    private mutating func run(until isDone: ([Int]) -> Bool) {
        while !isDone(known) {
            // Reads also if the machine is too slow for all moves.
            for _ in movers where nextMove <= wallNanoseconds() { move() }
            turn(until: nextMove)
        }
    }

    private mutating func move() {
        nextMove += interval
        moves[next] += 1
        precondition(moves[next] < Crowd.textBytes, "the text is too short for so many moves")
        let selection = "[[\(next),\(moves[next])]]"
        movers[next].send(
            #"{"type":"select","doc":"\#(Crowd.name(of: 0))","rev":1,"selections":\#(selection)}"#)
        next = (next + 1) % movers.count
    }

    // MARK: Reading

    /// Reads what arrives until this time, and returns after the first events.
    private mutating func turn(until time: Double) {
        let milliseconds = Int32(max(0, time - wallNanoseconds()) / 1e6) + 1
        withUnsafeTemporaryAllocation(of: epoll_event.self, capacity: 64) { events in
            let ready = epoll_wait(poller, events.baseAddress, 64, milliseconds)
            for event in events.prefix(Int(max(0, ready))) {
                let number = Int(event.data.u64)
                // The clients that move ignore each other's carets.
                if number < movers.count { movers[number].read(into: buffer) } else { readWatcher() }
            }
        }
    }

    private mutating func readWatcher() {
        let count = watcher.read(into: buffer)
        partialLine += buffer[..<count]
        while let end = partialLine.firstIndex(of: UInt8(ascii: "\n")) {
            partialLine[..<end].withUnsafeBytes { handle($0) }
            partialLine.removeFirst(end + 1)
        }
    }

    private mutating func handle(_ line: UnsafeRawBufferPointer) {
        switch line.kind {
        case .peer?: received(line)
        case .ping?: watcher.send(#"{"type":"pong"}"#)
        case .welcome?, .opened?, .check?: return
        default: CaretBench.end(1, "caret-bench: a server sent an unexpected line: \(line.string)")
        }
    }

    private mutating func received(_ line: UnsafeRawBufferPointer) {
        // A client has left.
        guard let selections = line.endIfFound(of: #""selections":[["#) else { return }
        known[line.number(at: selections)] = line.number(at: line.end(of: ",", from: selections))
    }
}

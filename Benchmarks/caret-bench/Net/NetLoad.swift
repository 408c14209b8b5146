import CLinux
import Glibc

/// Connections to a server of the line protocol, and the lines that they send. The load is the same for every
/// server, and cheap.
struct NetLoad: ~Copyable {
    /// The bytes of a line with its line break. A push of some letters has about the same size.
    static let lineBytes = 120

    private let sockets: [Int32]
    private let poller: Int32
    private let events: UnsafeMutablePointer<epoll_event>
    private let buffer: UnsafeMutableRawBufferPointer
    /// The bytes that each connection still waits for.
    private var due: [Int]
    /// The missing bytes of the current line, and whether it is an ack.
    private var lines: [(left: Int, isAck: Bool)]

    init(_ count: Int, port: UInt16) {
        sockets = (0..<count).map { _ in connected(to: port) }
        poller = epoll_create1(0)
        events = .allocate(capacity: 256)
        buffer = .allocate(byteCount: 1 << 18, alignment: 16)
        due = [Int](repeating: 0, count: count)
        lines = [(left: Int, isAck: Bool)](repeating: (0, false), count: count)
        for (index, socket) in sockets.enumerated() {
            var event = epoll_event()
            event.events = EPOLLIN.rawValue
            event.data.u64 = UInt64(index)
            epoll_ctl(poller, EPOLL_CTL_ADD, socket, &event)
        }
    }

    deinit {
        for socket in sockets { close(socket) }
        close(poller)
        events.deallocate()
        buffer.deallocate()
    }

    /// Distributes the connections over this many documents.
    mutating func join(documents: Int) {
        for index in sockets.indices { write(Array("J\(index % documents)\n".utf8), index) }
        awaitAll(2 * sockets.count)
    }

    /// Echoes this many lines. Each connection has one line in flight.
    mutating func echo(_ messages: Int) {
        let line = NetLoad.line("E")
        var (toSend, toCome) = (messages, messages)
        for index in sockets.indices where toSend > 0 {
            write(line, index)
            due[index] = line.count
            toSend -= 1
        }
        while toCome > 0 {
            forEachPiece { index, count, load in
                load.due[index] -= count
                if load.due[index] > 0 { return }
                toCome -= 1
                if toSend > 0 {
                    toSend -= 1
                    load.due[index] = line.count
                    load.write(line, index)
                }
            }
        }
    }

    /// Pushes this many lines from the first connection, `together` at once. After each group of `together`
    /// lines, waits until all connections have received them.
    mutating func fanOut(_ pushes: Int, together: Int) {
        let lines = (0..<together).flatMap { _ in NetLoad.line("P") }
        for _ in 0..<pushes / together {
            write(lines, 0)
            awaitAll(together * 2 + (sockets.count - 1) * lines.count)
        }
    }

    /// Pushes this many lines. Each connection has one push in flight until its ack. All other connections in
    /// the document get the line too.
    mutating func push(_ messages: Int) {
        let line = NetLoad.line("P")
        var (toSend, toCome) = (messages - sockets.count, messages)
        for index in sockets.indices { write(line, index) }
        while toCome > 0 {
            forEachPiece { index, count, load in
                for _ in 0..<load.acks(in: count, index) {
                    toCome -= 1
                    if toSend > 0 { load.write(line, index) }
                    toSend -= 1
                }
            }
        }
    }

    /// Counts the acks that end in the read bytes. An ack is `A` and a line break; all other lines have the
    /// known length.
    private mutating func acks(in count: Int, _ index: Int) -> Int {
        var (place, acks) = (0, 0)
        while place < count {
            if lines[index].left == 0 {
                let isAck = buffer[place] == UInt8(ascii: "A")
                lines[index] = (isAck ? 2 : NetLoad.lineBytes, isAck)
            }
            let step = min(lines[index].left, count - place)
            lines[index].left -= step
            place += step
            if lines[index] == (0, true) { acks += 1 }
        }
        return acks
    }

    private mutating func awaitAll(_ bytes: Int) {
        var left = bytes
        while left > 0 { forEachPiece { _, count, _ in left -= count } }
        precondition(left == 0, "the server sent \(-left) bytes more than expected")
    }

    private mutating func forEachPiece(_ body: (_ index: Int, _ count: Int, _ load: inout NetLoad) -> Void) {
        let ready = epoll_wait(poller, events, 256, 20_000)
        precondition(ready > 0, "the server sent nothing for 20 s")
        for event in 0..<Int(ready) {
            let index = Int(events[event].data.u64)
            let count = read(sockets[index], buffer.baseAddress, buffer.count)
            precondition(count > 0, "the server closed a connection")
            body(index, count, &self)
        }
    }

    private func write(_ bytes: [UInt8], _ index: Int) { writeWhole(bytes, to: sockets[index]) }

    private static func line(_ kind: Character) -> [UInt8] {
        Array("\(kind)\(String(repeating: "x", count: lineBytes - 2))\n".utf8)
    }
}

import CaretClient
import CaretConcurrency
import CaretReplica
import CaretWire
import Dispatch
import Glibc
import Testing

@Suite("A connection of the client to a server") struct LineConnectionTests {
    @Test(
        "if an address does not answer, the next address is tried",
        arguments: [true, false])
    func silentAddress(isFirst: Bool) async throws {
        let (silent, server) = (try Listener(isSilent: true), try Listener(isSilent: false))
        let addresses = try (isFirst ? [silent, server] : [server, silent]).map {
            try SystemAddress.resolved(.tcp(host: "127.0.0.1", port: $0.port))[0]
        }
        let queue = DispatchQueue(label: "addresses")
        let (events, sink) = AsyncStream<String>.makeStream()
        let connection = Confined(
            LineConnection(queue) { event in
                switch event {
                case .connected: sink.yield("connected")
                case .disconnected(let reason): sink.yield(reason.explanation)
                case .received, .lineTooLong: break
                }
            }, to: queue)
        queue.async { connection.value.connect(to: ResolvedServer(addresses), within: 2_000) }
        #expect(await events.first { _ in true } == "connected")
        queue.sync { connection.value.close() }
    }

    @Test("child processes inherit no descriptor of a connection")
    func closedOnExec() async {
        // The test runs in a process of its own, where no other code opens descriptors.
        await #expect(processExitsWith: .success) {
            let server = try Listener(isSilent: false)
            let address = try SystemAddress.resolved(.tcp(host: "127.0.0.1", port: server.port))[0]
            let before = Set(pipesAndSockets().values)
            let queue = DispatchQueue(label: "descriptors")
            let (events, told) = AsyncStream<Bool>.makeStream()
            let connection = Confined(
                LineConnection(queue) { event in
                    if case .connected = event { told.yield(true) } else { told.yield(false) }
                }, to: queue)
            queue.async { connection.value.connect(to: ResolvedServer([address])) }
            guard await events.first(where: { _ in true }) == true else { exit(2) }
            let opened = pipesAndSockets().filter { !before.contains($0.value) }.keys
            // Three descriptors: the socket, and the two ends of the pipe that wakes its thread.
            guard opened.count == 3 else { exit(3) }
            guard opened.allSatisfy({ fcntl($0, F_GETFD) & FD_CLOEXEC != 0 }) else { exit(4) }
            queue.sync { connection.value.close() }
            exit(0)
        }
    }

    @Test("a connection sends without delay, and leaves no descriptor open")
    func descriptors() async {
        await #expect(processExitsWith: .success) {
            let server = try Listener(isSilent: false)
            let before = Set(pipesAndSockets().values)
            let queue = DispatchQueue(label: "descriptors")
            let attempts: [(address: ServerAddress, event: String)] = [
                (.tcp(host: "127.0.0.1", port: server.port), "connected"),
                (.tcp(host: "127.0.0.1", port: 1), "Connection refused"),
                (.unix(path: "/nowhere/caretd.sock"), "No such file or directory"),
            ]
            for attempt in attempts {
                let addresses = try SystemAddress.resolved(attempt.address)
                let (connection, events) = makeConnection(on: queue)
                queue.async { connection.value.connect(to: ResolvedServer(addresses)) }
                guard await events.first(where: { _ in true }) == attempt.event else { exit(2) }
                let opened = pipesAndSockets().filter { !before.contains($0.value) }
                for (socket, name) in opened where attempt.event == "connected" && name.hasPrefix("socket:") {
                    guard sendsAtOnce(socket) else { exit(3) }
                }
                queue.sync { connection.value.close() }
            }
            // The socket's thread closes the descriptors some time after `close` returns.
            for _ in 0..<2_000 {
                if Set(pipesAndSockets().values).subtracting(before).isEmpty { exit(0) }
                await Task.yield()
            }
            exit(4)
        }
    }

    private static let notUnderstood = DisconnectReason.notUnderstood("").explanation
    private static let ended = DisconnectReason.ended.explanation

    @Test(
        "lines of the server are received until the connection ends",
        arguments: [
            ("{\"type\":\"ping\"}\n{\"type\":\"ping\"}\n", false, ["received", "received", ended]),
            ("{\"type\":", false, [ended]), ("", true, ["Connection reset by peer"]),
            ("{\n", false, [notUnderstood]),
            (String(repeating: "x", count: 100_000), false, [notUnderstood + "a line is at least"]),
        ] as [(String, Bool, [String])])
    func received(text: String, isReset: Bool, beginnings: [String]) async throws {
        var limits = Limits.Announced()
        // With this limit, a line of the server may have 65,536 bytes.
        limits.document = 0
        let server = try Listener(isSilent: false)
        let address = try SystemAddress.resolved(.tcp(host: "127.0.0.1", port: server.port))[0]
        let queue = DispatchQueue(label: "received")
        let (connection, events) = makeConnection(on: queue)
        queue.async { [limits] in
            connection.value.setLimits(limits)
            connection.value.connect(to: ResolvedServer([address]))
        }
        var iterator = events.makeAsyncIterator()
        #expect(await iterator.next() == "connected")
        server.serve(text, isReset: isReset)
        var found: [String] = []
        while let event = await iterator.next() { found.append(event) }
        #expect(found.count == beginnings.count, "\(found)")
        #expect(zip(found, beginnings).allSatisfy { $0.hasPrefix($1) }, "\(found)")
        queue.sync { connection.value.close() }
    }

    @Test("a connection that was closed cannot connect, and reports no events")
    func closed() throws {
        let server = try Listener(isSilent: false)
        let address = try SystemAddress.resolved(.tcp(host: "127.0.0.1", port: server.port))[0]
        var limits = Limits.Announced()
        limits.line = 100
        let queue = DispatchQueue(label: "closed")
        var events = 0
        let connection = LineConnection(queue) { _ in events += 1 }
        queue.sync {
            connection.setLimits(limits)
            connection.close()
            connection.connect(to: ResolvedServer([address]))
            let prefix = WireString(String(repeating: "x", count: limits.line))
            connection.send(.list(List(prefix: prefix)), id: nil)
        }
        #expect(events == 0)
    }

    @Test("each address gets a share of the timeout, but at least one second")
    func timeouts() {
        let shares: [(addresses: Int, timeout: Milliseconds)] = [
            (0, 10_000), (1, 10_000), (2, 5_000), (10, 1_000), (11, 1_000),
        ]
        for (addresses, timeout) in shares {
            #expect(SocketTransport.addressTimeout(within: 10_000, addresses: addresses) == timeout)
        }
    }

    @Test("a valid address resolves to one system address; an invalid one throws")
    func resolved() throws {
        #expect(try SystemAddress.resolved(.tcp(host: "127.0.0.1", port: 80)).count == 1)
        // The path of a socket has at most 108 bytes, and the system needs the last one to end the path.
        let path = "/" + String(repeating: "x", count: 106)
        #expect(try SystemAddress.resolved(.unix(path: path)).count == 1)
        // The machine has no interface with the name of this zone.
        let zone = ServerAddress.tcp(host: "fe80::1%nowhere0", port: 80)
        for address in [zone, .unix(path: path + "x")] {
            #expect(throws: ResolvingFault.self, "\(address)") { try SystemAddress.resolved(address) }
        }
    }

    /// Rule L2.
    @Test("a line of maximum length is sent, and a line one byte longer is not")
    func longestLine() throws {
        var limits = Limits.Announced()
        limits.line = 100
        let queue = DispatchQueue(label: "lines")
        var writer = JSONWriter()
        List(prefix: "").encode(id: nil, into: &writer)
        // The limit of a line does not include its line feed.
        let rest = limits.line - (writer.bytes.count - 1)
        for (added, refused) in [(rest, [Int]()), (rest + 1, [limits.line + 1])] {
            var lengths: [Int] = []
            let connection = LineConnection(queue) { event in
                if case .lineTooLong(_, _, let bytes, limit: 100) = event { lengths.append(bytes) }
            }
            queue.sync {
                connection.setLimits(limits)
                connection.send(
                    .list(List(prefix: WireString(String(repeating: "x", count: added)))), id: nil)
            }
            #expect(lengths == refused)
        }
    }
}

/// A connection, and the sequence of its events in words such as `connected`. The sequence ends when the
/// connection ends.
private func makeConnection(
    on queue: DispatchQueue
) -> (connection: Confined<LineConnection, DispatchQueue>, events: AsyncStream<String>) {
    let (events, sink) = AsyncStream<String>.makeStream()
    let connection = Confined(
        LineConnection(queue) { event in
            switch event {
            case .connected: sink.yield("connected")
            case .received: sink.yield("received")
            case .lineTooLong: sink.yield("too long")
            case .disconnected(let reason):
                sink.yield(reason.explanation)
                sink.finish()
            }
        }, to: queue)
    return (connection, events)
}

/// Whether the system sends small pieces over this socket without a delay.
private func sendsAtOnce(_ socket: Int32) -> Bool {
    var isOn: Int32 = 0
    var size = socklen_t(MemoryLayout.size(ofValue: isOn))
    return getsockopt(socket, Int32(IPPROTO_TCP), TCP_NODELAY, &isOn, &size) == 0 && isOn != 0
}

/// The descriptors of this process's pipes and sockets, with the names that the system gives them. Other
/// files are left out, because system libraries open some for a moment.
private func pipesAndSockets() -> [Int32: String] {
    var found: [Int32: String] = [:]
    for descriptor in 0..<Int32(4_096) {
        var bytes = [CChar](repeating: 0, count: 64)
        let count = max(0, readlink("/proc/self/fd/\(descriptor)", &bytes, bytes.count))
        let name = String(decoding: bytes[..<count].map { UInt8(bitPattern: $0) }, as: UTF8.self)
        if name.hasPrefix("pipe:") || name.hasPrefix("socket:") { found[descriptor] = name }
    }
    return found
}

/// A socket that listens on loopback. The queue of a silent listener is full, so that the system answers no
/// further connections.
private final class Listener {
    let port: UInt16
    private var sockets: [Int32] = []

    init(isSilent: Bool) throws {
        let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        sockets = [listener]
        var here = sockaddr_in()
        here.sin_family = sa_family_t(AF_INET)
        here.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let code = withUnsafeMutablePointer(to: &here) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(listener, $0, size) == 0 && listen(listener, isSilent ? 0 : 8) == 0
                    && getsockname(listener, $0, &size) == 0
            } ? 0 : errno
        }
        port = UInt16(bigEndian: here.sin_port)
        try #require(code == 0, "the socket does not listen: \(code)")
        if isSilent { for _ in 0..<4 { addWaiting(here) } }
    }

    /// Adds a connection that waits to be accepted.
    private func addWaiting(_ address: sockaddr_in) {
        let kind = Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue)
        let guest = socket(AF_INET, kind, 0)
        var address = address
        _ = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(guest, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        sockets.append(guest)
    }

    /// Accepts a connection, sends a text to it, and closes it. With `isReset`, the other side gets an error.
    func serve(_ text: String, isReset: Bool) {
        let guest = accept(sockets[0], nil, nil)
        let bytes = Array(text.utf8)
        _ = send(guest, bytes, bytes.count, Int32(MSG_NOSIGNAL))
        if isReset {
            var option = linger(l_onoff: 1, l_linger: 0)
            setsockopt(
                guest, SOL_SOCKET, SO_LINGER, &option, socklen_t(MemoryLayout.size(ofValue: option)))
        }
        close(guest)
    }

    deinit { for socket in sockets { close(socket) } }
}

import CaretServer
import Glibc
import Testing

@Suite("Sockets that accept connections")
struct ListenerTests {
    @Test(
        "a listener on port 0 reports the port that the system chose",
        arguments: ["127.0.0.1", "::1"])
    func ports(host: String) async throws {
        let address = try SocketAddress.resolved(host: host, port: 0)[0]
        #expect(address.isLoopback)
        try await withServer(at: address) { server in
            let port = try #require(server.address.port)
            #expect(port != 0)
            #expect(server.address.description == (host == "::1" ? "[::1]:\(port)" : "127.0.0.1:\(port)"))
            let client = try Client(to: server.address)
            try client.send("hi")
            #expect(try client.receive(text: 2) == "hi")
        }
    }

    @Test("`isLoopback` is true for loopback addresses, and false for others")
    func otherAddresses() throws {
        for host in ["0.0.0.0", "192.0.2.1", "::", "2001:db8::1", "::ffff:192.0.2.1"] {
            #expect(try !SocketAddress.resolved(host: host, port: 1)[0].isLoopback)
        }
        for host in ["127.255.0.1", "::ffff:127.0.0.1"] {
            #expect(try SocketAddress.resolved(host: host, port: 1)[0].isLoopback)
        }
        #expect(throws: AddressFault.self) { try SocketAddress.resolved(host: "no such host", port: 1) }
    }

    @Test("accepted sockets never block or delay, and are spread over the loops")
    func acceptedSockets() async throws {
        let options = Events<[Int32]>()
        let maker: HandlerMaker = { connection in
            var (delay, size) = (Int32(0), socklen_t(4))
            getsockopt(connection.descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &delay, &size)
            let blocking = fcntl(connection.descriptor, F_GETFL) & O_NONBLOCK == 0
            let inherited = fcntl(connection.descriptor, F_GETFD) & FD_CLOEXEC == 0
            options.record([delay, blocking ? 1 : 0, inherited ? 1 : 0, Int32(connection.id.loop.rawValue)])
            return EchoHandler()
        }
        try await withServer(loops: 2, handler: maker) { server in
            var loops: [Int32] = []
            for _ in 0..<4 {
                let client = try Client(to: server.address)
                let found = try #require(await options.next())
                #expect(found[..<3] == [1, 0, 0])
                loops.append(found[3])
                withExtendedLifetime(client) {}
            }
            #expect(loops == [0, 1, 0, 1])
        }
    }

    @Test("listening on a port that is in use gives the fault `inUse`")
    func portInUse() async throws {
        try await withServer { server in
            await #expect(throws: ListenFault.inUse) {
                try await Listener.listen(at: server.address, spreadOver: server.loops) { _ in
                    EchoHandler()
                }
            }
        }
    }

    @Test("a listener reports why the system refuses an address")
    func refusedAddresses() async throws {
        // 192.0.2.1 is an address for documentation, which no machine has.
        for (address, code) in [
            (.ip4(0xC000_0201, port: 0), EADDRNOTAVAIL), (.unix(path: "/nowhere/socket"), ENOENT),
        ] as [(SocketAddress, Int32)] {
            await #expect(throws: ListenFault.system(SystemFault("bind", code: code)), "\(address)") {
                try await withServer(at: address) { _ in }
            }
        }
    }

    @Test(
        "a listener can reuse a recent port, and an IPv6 one refuses IPv4",
        arguments: [.ip4(0x7F00_0001, port: 0), .ip6(0, 1, scope: 0, port: 0)] as [SocketAddress])
    func options(address: SocketAddress) async throws {
        let options = Events<[Int32]>()
        let maker: HandlerMaker = { connection in
            // An accepted socket has the options of its listener.
            options.record(
                [(SOL_SOCKET, SO_REUSEADDR), (Int32(IPPROTO_IPV6), IPV6_V6ONLY)].map { level, option in
                    var (value, size) = (Int32(0), socklen_t(4))
                    getsockopt(connection.descriptor, level, option, &value, &size)
                    return value
                })
            return EchoHandler()
        }
        try await withServer(at: address, handler: maker) { server in
            let client = try Client(to: server.address)
            #expect(await options.next() == [1, address.family == AF_INET6 ? 1 : 0])
            withExtendedLifetime(client) {}
        }
    }

    @Test("an IPv6 address passes its scope to the system")
    func scope() throws {
        let address = SocketAddress.ip6(0xFE80 << 48, 1, scope: 7, port: 5)
        let scope = try address.withSockaddr { pointer, _ in
            pointer.withMemoryRebound(to: sockaddr_in6.self, capacity: 1) { $0.pointee.sin6_scope_id }
        }
        #expect(scope == 7)
    }

    @Test("a closed listener accepts no connections, and existing ones continue")
    func closedListener() async throws {
        try await withServer { server in
            let client = try Client(to: server.address)
            await server.wait { $0.opened == 1 }
            await server.listener.close()
            #expect(throws: SystemFault("connect", code: ECONNREFUSED)) { try Client(to: server.address) }
            try client.send("on")
            #expect(try client.receive(text: 2) == "on")
        }
    }

    @Test("only the owner can use a Unix socket, and closing removes its file")
    func unixSocket() async throws {
        let path = temporaryPath()
        try await withServer(at: .unix(path: path)) { server in
            #expect(mode(of: path) == 0o600)
            let client = try Client(to: server.address)
            try client.send("hi")
            client.endOutput()
            #expect(client.receiveAll().bytes == Array("hi".utf8))
            await #expect(throws: ListenFault.inUse) {
                try await Listener.listen(at: server.address, spreadOver: server.loops) { _ in
                    EchoHandler()
                }
            }
            #expect(mode(of: path) == 0o600)
        }
        #expect(mode(of: path) == nil)
    }

    @Test("a killed server's socket file is replaced, but other files are not")
    func filesInTheWay() async throws {
        let path = temporaryPath()
        // A killed server leaves a socket file without a listener.
        let dead = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        _ = try SocketAddress.unix(path: path).withSockaddr { bind(dead, $0, $1) }
        close(dead)
        #expect(mode(of: path) != nil)
        try await withServer(at: .unix(path: path)) { server in _ = try Client(to: server.address) }

        close(open(path, O_CREAT | O_WRONLY, 0o644))
        defer { unlink(path) }
        await #expect(throws: ListenFault.notASocket) {
            try await withServer(at: .unix(path: path)) { _ in }
        }
        #expect(mode(of: path) == 0o644)
    }

    @Test("a too long socket path is refused with its length and the limit")
    func longPath() async throws {
        let path = "/tmp/" + String(repeating: "x", count: 200)
        await #expect(throws: ListenFault.address(.longPath(bytes: 205, limit: 107))) {
            try await withServer(at: .unix(path: path)) { _ in }
        }
    }

    @Test("without free descriptors new connections are refused; old ones stay")
    func outOfDescriptors() async {
        // The test runs in its own process, because the limit applies to the whole process.
        await #expect(processExitsWith: .success) {
            var settings = LoopSettings()
            settings.descriptorsLeft = 0
            try await withServer(settings) { server in
                let old = try Client(to: server.address)
                await server.wait { $0.opened == 1 }
                let clients = try (0..<20).map { _ in try UnconnectedClient() }
                var bound = rlimit()
                getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &bound)
                let before = bound
                // The limit leaves five free descriptors.
                bound.rlim_cur = rlim_t(firstFreeDescriptor() + 5)
                setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &bound)
                for client in clients { try client.connect(to: server.address) }
                await server.wait { $0.opened + $0.refused == 21 }
                let counters = await server.counters()
                // System libraries sometimes open a descriptor for a moment.
                guard (3...6).contains(counters.opened) else { exit(2) }
                guard clients.count(where: \.isClosedByPeer) == counters.refused else { exit(3) }
                let events = await server.counters().events
                for _ in 0..<50 { _ = await server.counters() }
                guard await server.counters().events < events + 120 else { exit(4) }
                try old.send("ping")
                guard try old.receive(text: 4) == "ping" else { exit(5) }
                var restored = before
                setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &restored)
                let new = try Client(to: server.address)
                try new.send("ping")
                guard try new.receive(text: 4) == "ping" else { exit(6) }
            }
            exit(0)
        }
    }

    @Test(
        "connections are refused before the process runs out of descriptors",
        arguments: [8, 10_000])
    func descriptorsLeft(left: Int) async {
        await #expect(processExitsWith: .success) { [left] in
            var settings = LoopSettings()
            settings.descriptorsLeft = left
            try await withServer(settings) { server in
                let clients = try (0..<20).map { _ in try UnconnectedClient() }
                let first = Int(firstFreeDescriptor())
                var bound = rlimit()
                getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &bound)
                bound.rlim_cur = rlim_t(left == 8 ? first + 5 + left : 4 * (first + 5) / 3)
                setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &bound)
                for client in clients { try client.connect(to: server.address) }
                await server.wait { $0.opened + $0.refused == 20 }
                let opened = await server.counters().opened
                // System libraries sometimes open a descriptor for a moment.
                guard (3...5).contains(opened) else { exit(2) }
                guard clients.count(where: \.isClosedByPeer) == 20 - opened else { exit(3) }
            }
            exit(0)
        }
    }
}

/// A socket that is made while descriptors are free, and connected after they have run out.
private struct UnconnectedClient {
    let descriptor: Int32

    init() throws {
        descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        try #require(descriptor >= 0)
    }

    func connect(to address: SocketAddress) throws {
        let code = try address.withSockaddr { Glibc.connect(descriptor, $0, $1) }
        try #require(code == 0)
    }

    /// Whether the connection has ended. It does not wait for data.
    var isClosedByPeer: Bool {
        var byte: UInt8 = 0
        let count = recv(descriptor, &byte, 1, Int32(MSG_DONTWAIT))
        return count == 0 || count < 0 && errno == ECONNRESET
    }
}

/// Returns the lowest number above all open descriptors. Opens descriptors until no number below it is free,
/// because a child process may inherit descriptors with gaps between them.
private func firstFreeDescriptor() -> Int32 {
    let highest = (0..<4_096).last { fcntl($0, F_GETFD) >= 0 } ?? 0
    while true {
        let free = dup(0)
        if free > highest {
            close(free)
            return free
        }
    }
}

func temporaryPath() -> String { "/tmp/caret-\(getpid())-\(UInt64.random(in: .min ... .max)).sock" }

private func mode(of path: String) -> mode_t? {
    var found = stat()
    return lstat(path, &found) == 0 ? found.st_mode & 0o777 : nil
}

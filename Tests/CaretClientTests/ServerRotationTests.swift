import CaretClient
import CaretReplica
import Testing

@Suite("Which of several servers a client tries next") struct ServerRotationTests {
    private static let (a, b, c) = (
        ServerAddress.tcp(host: "a", port: 1), ServerAddress.tcp(host: "b", port: 2),
        ServerAddress.unix(path: "/c")
    )

    private func rotation(_ servers: [ServerAddress] = [a, b, c]) -> ServerRotation {
        ServerRotation(servers)
    }

    @Test("with one server, each failure is followed by a delay, which grows until the next welcome")
    func one() {
        var rotation = rotation([Self.a])
        let steps = (0..<3).map { _ in rotation.failed("refused", Jitter(0)) }
        #expect(steps == [.wait(250), .wait(500), .wait(1_000)])
        rotation.welcomed()
        rotation.connectionEnded(after: 5_000)
        #expect(rotation.failed("lost", Jitter(0)) == .wait(250))
        #expect(rotation.current == Self.a)
    }

    @Test("a round tries each server once without a delay, and the delays grow from round to round")
    func rounds() {
        var rotation = rotation()
        var tried: [ServerAddress] = []
        var steps: [ServerRotation.Step] = []
        for _ in 0..<9 {
            tried.append(rotation.current)
            steps.append(rotation.failed("refused", Jitter(0)))
        }
        #expect(tried == [Self.a, Self.b, Self.c, Self.a, Self.b, Self.c, Self.a, Self.b, Self.c])
        #expect(
            steps == [
                .tryNext, .tryNext, .wait(250), .tryNext, .tryNext, .wait(500), .tryNext, .tryNext,
                .wait(1_000),
            ])
    }

    @Test("the servers are tried in the order that the program chose, and listed as they were")
    func order() {
        var rotation = ServerRotation([Self.a, Self.b, Self.c]) { $0.reversed() }
        var tried: [ServerAddress] = []
        for _ in 0..<2 {
            tried.append(rotation.current)
            _ = rotation.failed("refused by \(rotation.current)", Jitter(0))
        }
        #expect(tried == [Self.c, Self.b])
        let fault = ConnectionFault.allUnreachable([
            UnreachableServer(address: Self.a, reason: "no answer"),
            UnreachableServer(address: Self.b, reason: "refused by b:2"),
            UnreachableServer(address: Self.c, reason: "refused by /c"),
        ])
        #expect(rotation.fault(afterFailure: "no answer") == fault)
        #expect(
            fault.description
                == "no server can be reached: a:1: no answer; b:2: refused by b:2; /c: refused by /c")
    }

    @Test("a repeated server is tried once")
    func repeated() {
        var rotation = rotation([Self.a, Self.b, Self.a])
        #expect(rotation.servers == [Self.a, Self.b])
        _ = rotation.failed("refused", Jitter(0))
        #expect(rotation.failed("refused", Jitter(0)) == .wait(250))
    }

    @Test("before the last failure of a round, the fault names only this server")
    func faultWithinRound() {
        let rotation = rotation()
        #expect(rotation.fault(afterFailure: "refused") == .unreachable(Self.a, reason: "refused"))
    }

    @Test("a connection that has lasted begins a new round, and a short one does not")
    func lasting() {
        let cases: [(Milliseconds, ServerRotation.Step)] = [(499, .wait(250)), (500, .tryNext)]
        for (duration, step) in cases {
            var rotation = rotation([Self.a, Self.b])
            _ = rotation.failed("refused", Jitter(0))
            rotation.welcomed()
            rotation.connectionEnded(after: duration)
            #expect(rotation.failed("lost", Jitter(0)) == step)
            #expect(rotation.current == Self.a)
        }
    }

    /// Whatever the servers do, a client connects at most twice as often as there are servers, per second.
    @Test("servers that end each connection soon are not asked without a delay", arguments: [2, 3, 10])
    func flapping(count: Int) {
        var rotation = ServerRotation((0..<count).map { .tcp(host: "s\($0)", port: 1) })
        var waits = 0
        for _ in 0..<(count * 10) {
            rotation.welcomed()
            rotation.connectionEnded(after: 499)
            if rotation.failed("lost", Jitter(0)) == .wait(250) { waits += 1 }
        }
        #expect(waits == 10)
    }

    @Test("after a round, the client waits as long as every server has asked for")
    func requestedDelays() {
        let cases: [([Milliseconds?], Milliseconds)] = [
            ([3_000, 2_000, 4_000], 2_000), ([3_000, nil, 4_000], 250), ([10, 10, 10], 250),
            ([900_000, 900_000, 900_000], 300_000),
        ]
        for (requests, delay) in cases {
            var rotation = rotation()
            let steps = requests.map { rotation.failed("overloaded", retryAfter: $0, Jitter(0)) }
            #expect(steps == [.tryNext, .tryNext, .wait(delay)])
        }
    }

    @Test("an attempt has three seconds, and the last one of a round has ten")
    func timeouts() {
        var rotation = rotation()
        var timeouts: [Milliseconds] = []
        for _ in 0..<4 {
            timeouts.append(rotation.attemptTimeout)
            _ = rotation.failed("no answer", Jitter(0))
        }
        #expect(timeouts == [3_000, 3_000, 10_000, 3_000])
        #expect(self.rotation([Self.a]).attemptTimeout == 10_000)
    }

    @Test("clients that choose their order by chance spread over the servers")
    func spread() {
        // A server that has no client out of 300, or an order that nobody has, is as good as impossible.
        var orders: Set<[ServerAddress]> = []
        for _ in 0..<300 {
            var rotation = ServerRotation([Self.a, Self.b, Self.c], .random)
            var order: [ServerAddress] = []
            for _ in 0..<3 {
                order.append(rotation.current)
                _ = rotation.failed("refused", Jitter(0))
            }
            orders.insert(order)
        }
        #expect(orders.count == 6)
        #expect(ServerRotation([Self.a, Self.b], .asListed).current == Self.a)
    }
}

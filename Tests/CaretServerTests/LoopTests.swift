import CaretRooms
import CaretServer
import Glibc
import TestSupport
import Testing

@Suite("Event loops of the server")
struct LoopTests {
    @Test("posted jobs of each thread run in order, and no job is lost")
    func jobs() async throws {
        let loop = try Loop(LoopNumber(0))
        let counts = Shared([Int](repeating: 0, count: 4))
        await withTaskGroup { group in
            for poster in 0..<4 {
                group.addTask {
                    for number in 0..<2_000 {
                        loop.post { _ in
                            counts.change { counts in
                                #expect(counts[poster] == number)
                                counts[poster] += 1
                            }
                        }
                        // Sometimes waits, so that the loop falls asleep.
                        if number % 100 == 0 { _ = await loop.result { _ in } }
                    }
                }
            }
        }
        await loop.stop()
        #expect(counts.value == [2_000, 2_000, 2_000, 2_000])
    }

    @Test("a stopped loop refuses jobs")
    func stoppedLoop() async throws {
        let loop = try Loop(LoopNumber(0))
        await loop.stop()
        #expect(!loop.post { _ in })
        #expect(await loop.result { _ in 1 } == nil)
    }

    @Test("a stopping loop runs waiting jobs, and closes each connection once")
    func stopCloses() async throws {
        let events = Events<HandlerCall>()
        let ids = Events<SocketID>()
        let maker: HandlerMaker = { connection in
            ids.record(connection.id)
            return RecordingHandler(events)
        }
        let loop = try Loop(LoopNumber(0))
        let listener = try await Listener.listen(at: Running.anyPort, spreadOver: [loop], maker)
        let clients = try (0..<10).map { _ in try Client(to: listener.address) }
        for _ in clients {
            let id = try #require(await ids.next())
            loop.post { $0[id]?.send(Payload(Array("bye".utf8))) }
        }
        await loop.stop()
        for client in clients { #expect(client.receiveAll().bytes == Array("bye".utf8)) }
        for _ in clients { #expect(await events.next() == .closed(.loopStopped)) }
    }

    @Test("stopped loops leave no descriptor open")
    func noDescriptorIsLeft() async {
        // The test runs in its own process, because other tests open descriptors too.
        await #expect(processExitsWith: .success) {
            try await comeAndGo()
            let before = leastDescriptors()
            for _ in 0..<5 { try await comeAndGo() }
            exit(leastDescriptors() == before ? 0 : 1)
        }
    }

    @Test("an old connection's id does not find the new connection in its slot")
    func oldNamesFindNothing() async throws {
        let ids = Events<SocketID>()
        let maker: HandlerMaker = { connection in
            ids.record(connection.id)
            return EchoHandler()
        }
        try await withServer(handler: maker) { server in
            let first = try Client(to: server.address)
            let old = try #require(await ids.next())
            first.reset()
            await server.wait { $0.closed == 1 }
            let second = try Client(to: server.address)
            let new = try #require(await ids.next())
            #expect(old.slot.slot == new.slot.slot && old != new)
            server.loops[0].post { sockets in
                sockets[old]?.send(Payload([1]))
                sockets[new]?.send(Payload([2]))
            }
            #expect(try second.receive(1) == [2])
        }
    }

    @Test("writing to a disconnected peer raises no signal")
    func noSignal() async {
        await #expect(processExitsWith: .success) {
            signal(SIGPIPE, SIG_DFL)
            let maker: HandlerMaker = { _ in DeafHandler() }
            try await withServer(handler: maker) { server in
                let client = try Client(to: server.address)
                try client.send("x")
                client.reset()
                await server.wait { $0.closed == 1 }
            }
            exit(0)
        }
    }
}

/// Counts the open descriptors many times, and returns the least count. System libraries sometimes open a
/// descriptor for a moment.
func leastDescriptors() -> Int {
    (0..<2_000).map { _ in openDescriptors() }.min() ?? -1
}

private func comeAndGo() async throws {
    try await withServer(loops: 2) { server in
        var clients: [Client] = []
        for number in 0..<40 {
            let client = try Client(to: server.address)
            if number % 2 == 0 {
                try client.send("hello")
                _ = try client.receive(5)
            }
            if number % 3 == 0 { client.endOutput() }
            if number % 5 == 0 { client.reset() }
            clients.append(client)
        }
        await server.wait { $0.opened == 40 }
    }
}

/// A handler that does not read, and that writes as long as possible.
private final class DeafHandler: ConnectionHandler {
    func received(_ bytes: UnsafeRawBufferPointer, on connection: any ConnectionPort) -> Int {
        connection.pauseReading()
        connection.send(Payload([1]))
        return bytes.count
    }

    func inputEnded(on connection: any ConnectionPort) {}

    func wrote(_ bytes: Int, on connection: any ConnectionPort) { connection.send(Payload([1])) }

    func deadlinePassed(on connection: any ConnectionPort) {}

    func closed(_ reason: CloseReason, on connection: any ConnectionPort) {}
}

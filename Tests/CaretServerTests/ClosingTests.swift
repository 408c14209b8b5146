import CaretRooms
import CaretServer
import Glibc
import Testing

@Suite("Closing connections")
struct ClosingTests {
    /// Rule L9.
    @Test("a peer receives output sent before `endOutput`, even while it sends")
    func endAgainstSender() async throws {
        let events = Events<HandlerCall>()
        var behaviour = RecordingHandler.Behaviour()
        behaviour.onReceived = { connection, _ in
            connection.send(Payload(Array("refused".utf8)))
            connection.endOutput()
            connection.send(Payload(Array("too late".utf8)))
        }
        behaviour.onInputEnded = { $0.close() }
        let told = behaviour
        let maker: HandlerMaker = { _ in RecordingHandler(events, told) }
        try await withServer(handler: maker) { server in
            let client = try Client(to: server.address)
            try client.send("one")
            #expect(try client.receive(text: 7) == "refused")
            #expect(try client.receiveSome().isEmpty)
            try client.send("two")
            client.endOutput()
            #expect(await events.next() == .received("one"))
            #expect(await events.next() == .received("two"))
            #expect(await events.next() == .inputEnded)
            #expect(await events.next() == .closed(.closedByHandler))
        }
    }

    @Test("a close with unwritten output resets the connection")
    func reset() async throws {
        let events = Events<HandlerCall>()
        var behaviour = RecordingHandler.Behaviour()
        behaviour.onReceived = { connection, _ in
            connection.send(Payload([2]))
            connection.close()
            connection.send(Payload([3]))
            connection.endOutput()
            connection.pauseReading()
            connection.resumeReading()
            connection.deadline = .now
        }
        let told = behaviour
        let maker: HandlerMaker = { _ in RecordingHandler(events, told) }
        try await withServer(handler: maker) { server in
            let client = try Client(to: server.address)
            try client.send("x")
            let (bytes, code) = client.receiveAll()
            #expect(bytes.isEmpty && code == ECONNRESET)
            #expect(await events.next() == .received("x"))
            #expect(await events.next() == .closed(.closedByHandler))
        }
    }

    @Test("a close without unwritten output is a normal end for the peer")
    func end() async throws {
        let events = Events<HandlerCall>()
        var behaviour = RecordingHandler.Behaviour()
        behaviour.onReceived = { connection, _ in connection.close() }
        let told = behaviour
        let maker: HandlerMaker = { _ in RecordingHandler(events, told) }
        try await withServer(handler: maker) { server in
            let client = try Client(to: server.address)
            try client.send("x")
            let (bytes, code) = client.receiveAll()
            #expect(bytes.isEmpty && code == 0)
        }
    }

    @Test("a deadline fires once, and only at the time that was set last")
    func deadline() async throws {
        let events = Events<HandlerCall>()
        let ids = Events<SocketID>()
        let clock = HandClock()
        let maker: HandlerMaker = { connection in
            connection.deadline = clock.now.after(seconds: 10)
            ids.record(connection.id)
            return RecordingHandler(events)
        }
        try await withServer(clock.settings, handler: maker) { server in
            let client = try Client(to: server.address)
            let id = try #require(await ids.next())
            clock.advance(milliseconds: 9_000)
            let later = clock.now.after(seconds: 10)
            _ = await server.loops[0].result { $0[id]?.deadline = later }
            clock.advance(milliseconds: 9_999)
            #expect(await server.loops[0].result { $0[id]?.deadline != nil } == true)
            clock.advance(milliseconds: 1)
            server.loops[0].post { _ in }
            #expect(await events.next() == .deadlinePassed)
            #expect(await server.loops[0].result { $0[id]?.deadline == nil } == true)
            try client.send("still there")
            #expect(await events.next() == .received("still there"))
        }
    }

    @Test("an idle loop wakes for a deadline")
    func deadlineWakes() async throws {
        let events = Events<HandlerCall>()
        let maker: HandlerMaker = { connection in
            connection.deadline = .now.after(milliseconds: 30)
            return RecordingHandler(events)
        }
        try await withServer(handler: maker) { server in
            let client = try Client(to: server.address)
            #expect(await events.next() == .deadlinePassed)
            withExtendedLifetime(client) {}
        }
    }

    @Test("a reset by the peer in any state ends only that connection", arguments: 0..<4)
    func resets(moment: Int) async throws {
        let maker: HandlerMaker = { connection in
            if moment == 3 { connection.pauseReading() }
            return EchoHandler()
        }
        try await withServer(handler: maker) { server in
            for _ in 0..<50 {
                let client = try Client(to: server.address)
                switch moment {
                case 0: break
                case 1: try client.send("half a line")
                case 2:
                    // The client does not read, so the echo fills the socket buffer and output waits.
                    try client.send([UInt8](repeating: 65, count: 100_000))
                default:
                    // While reading is paused, only a write can detect the reset.
                    try client.send("x")
                    let all = await server.loops[0].result { $0.connections.count }
                    #expect(try #require(all) <= 50)
                }
                client.reset()
                if moment == 3 {
                    server.loops[0].post { sockets in
                        for connection in sockets.connections { connection.send(Payload([1])) }
                    }
                }
            }
            await server.wait { $0.closed == 50 }
            #expect(await server.counters().opened == 50)
        }
    }

    @Test(
        "a reset while reading is paused does not wake the loop again and again"
    )
    func goneWhilePaused() async throws {
        let events = Events<HandlerCall>()
        let ids = Events<SocketID>()
        let maker = RecordingHandler.paused(events, ids)
        try await withServer(handler: maker) { server in
            let client = try Client(to: server.address)
            let id = try #require(await ids.next())
            client.reset()
            // The reset causes one event. More events in a row would mean busy waiting.
            var before = -1
            while await server.counters().events != before { before = await server.counters().events }
            for _ in 0..<20 { _ = await server.counters() }
            #expect(await server.counters().events <= before + 45)
            #expect(await server.counters().closed == 0)
            server.loops[0].post { $0[id]?.resumeReading() }
            guard case .closed(.lost) = await events.next() else {
                Issue.record("the handler did not learn that the peer has disconnected")
                return
            }
        }
    }
}

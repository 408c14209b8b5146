import CaretConfig
import CaretLog
import CaretRooms
import CaretServer
import CaretWire
import TestSupport
import Testing

@Suite("Loops, rooms and hub of a server, step by step")
struct SwitchboardTests {
    @Test("a server has stopped once the last connection of any loop has ended")
    func drain() throws {
        let server = try HandServer(loops: 2)
        defer { server.close() }
        // Only their loops know these connections, because they have not said hello.
        let ports = [0, 0, 1].map { server.connected(to: $0) }
        let ends = Shared(0)
        server.switchboard.drain { ends.change { $0 += 1 } }
        server.run()
        for port in ports { #expect(port.output.contains(#""code":"shutting_down""#)) }
        for port in [ports[0], ports[2], ports[1]] {
            #expect(ends.value == 0)
            port.lose()
            server.run()
        }
        #expect(ends.value == 1)
        server.connected(to: 0).lose()
        server.run()
        #expect(ends.value == 1)
    }

    @Test("a reload changes the limits of new connections, but not of open ones")
    func reload() throws {
        let server = try HandServer()
        defer { server.close() }
        let open = server.connected()
        var settings = ServerSettings(name: "caret/test", loops: 1, roomQueues: 1)
        settings.limits.announced.documents = 7
        server.switchboard.reload(settings)
        open.receive(#"{"type":"hello","protocol":1,"client":"ann-client"}"#)
        server.run()
        #expect(open.output.contains(#""documents":256,"#))
        #expect(server.greeted("bob-client").output.contains(#""documents":7,"#))
    }

    /// A server whose clients have a token that ends so many milliseconds after the start.
    private func server(tokenEndsAfter rest: Int64, isMarked: Bool = false) throws -> HandServer {
        try HandServer(
            identity: Identity(
                user: "ann", token: TokenID(1), grants: .all, expires: 1_790_000_000_000 + rest,
                hasEnded: isMarked))
    }

    @Test("a token's connections end with it, by the clock of the server")
    func tokenEnds() throws {
        let server = try server(tokenEndsAfter: 5_000)
        defer { server.close() }
        let ann = server.greeted("ann-client")
        server.clock.advance(milliseconds: 4_999)
        server.fireAlarms()
        server.run()
        #expect(ann.output.contains("welcome") && !ann.output.contains("bye"))
        server.clock.advance(milliseconds: 1)
        server.fireAlarms()
        server.run()
        #expect(ann.output.contains(#"{"type":"bye","reason":"revoked"}"#))
        #expect(server.greeted("bob-client").output.contains("the token ended at 2026-09-21 14:13:25 UTC"))
    }

    @Test("a wall clock that is set forward ends tokens at the next event")
    func clockSetForward() throws {
        let server = try server(tokenEndsAfter: 86_400_000)
        defer { server.close() }
        let ann = server.greeted("ann-client")
        server.wall.change { $0 += 86_400_000 }
        server.clock.advance(milliseconds: 60_000)
        server.fireAlarms()
        server.run()
        #expect(ann.output.contains(#"{"type":"bye","reason":"revoked"}"#))
        server.wall.change { $0 -= 86_400_000 }
        #expect(server.greeted("bob-client").output.contains("welcome"))
    }

    /// Rule A16.
    @Test("a token that was marked as ended is refused before its end")
    func markedToken() throws {
        let server = try server(tokenEndsAfter: 86_400_000, isMarked: true)
        defer { server.close() }
        #expect(server.greeted("ann-client").output.contains("the token ended at 2026-09-22 14:13:20 UTC"))
    }

    @Test("a closed server keeps neither its hub nor its rooms in memory")
    func closed() throws {
        let server = try HandServer(roomQueues: 2)
        weak var switchboard: Switchboard?
        switchboard = server.switchboard
        let ends = Shared(0)
        server.close { ends.change { $0 += 1 } }
        #expect(ends.value == 1)
        #expect(switchboard == nil)
    }

    @Test("a line for several connections is stored once, and only for one turn")
    func sharedLine() throws {
        let server = try HandServer()
        defer { server.close() }
        let ports = ["ann-client", "bob-client", "eve-client"].map { server.greeted($0) }
        for port in ports {
            port.open()
            server.run()
        }
        for port in ports { port.keepsPayloads = true }
        ports[0].push(1)
        server.run()
        weak var payload: Payload?
        do {
            let sent = try ports[1...].map { try #require($0.payloads.first) }
            #expect(String(decoding: sent[0].bytes, as: UTF8.self).hasPrefix(#"{"type":"change","doc":"a""#))
            #expect(sent[0] === sent[1])
            payload = sent[0]
        }
        for port in ports { port.payloads = [] }
        #expect(payload == nil)
    }

    @Test("the carets of a tick are stored once for all who did not move")
    func sharedPresence() throws {
        let server = try HandServer()
        defer { server.close() }
        let ports = ["ann-client", "bob-client", "eve-client", "joe-client"].map { server.greeted($0) }
        for port in ports {
            port.open()
            server.run()
        }
        ports[0].receive(#"{"type":"select","doc":"a","rev":0,"selections":[]}"#)
        server.run()
        for port in ports { port.keepsPayloads = true }
        for port in ports[..<2] {
            port.receive(#"{"type":"select","doc":"a","rev":0,"selections":[[0,0]]}"#)
            server.run()
        }
        server.clock.advance(milliseconds: 50)
        server.fireAlarms()
        server.run()
        let sent = try ports.map { try #require($0.payloads.first) }
        #expect(ports.allSatisfy { $0.payloads.count == 1 })
        #expect(sent[2] === sent[3])
        #expect(sent.map { $0.bytes.count { $0 == UInt8(ascii: "\n") } } == [1, 1, 2, 2])
    }

    @Test("the counters of connections and bytes are exact")
    func counters() throws {
        let server = try HandServer(loops: 2)
        defer { server.close() }
        let ann = server.greeted("ann-client")
        ann.receive(#"{"type":"ping","id":1}"#)
        server.run()
        server.loops[1].refuse()
        ann.lose()
        server.run()
        let counts = server.board.counts
        #expect(counts[.bytesIn] == UInt64(ann.input.utf8.count))
        #expect(counts[.bytesOut] == UInt64(ann.output.utf8.count))
        #expect(counts[.connectionsOpened] == 1 && counts[.connectionsClosed] == 1)
        #expect(counts[.connectionsRefused] == 1)
    }

    @Test("latencies are measured from the read of a request to its answer")
    func latencies() throws {
        let server = try HandServer()
        defer { server.close() }
        let (ann, bob) = (server.greeted("ann-client"), server.greeted("bob-client"))
        server.store.isHeld.change { $0 = true }
        ann.open()
        server.run()
        server.clock.advance(milliseconds: 5)
        server.store.isHeld.change { $0 = false }
        server.run()
        let opening = server.board.counts[.opening]
        #expect(opening.count == 1 && opening.largest == 5_000_000)
        bob.open()
        server.run()
        ann.push(1)
        server.run()

        server.store.isHeld.change { $0 = true }
        ann.push(2)
        server.run()
        #expect(server.store.waitingCalls == 1)
        server.clock.advance(milliseconds: 7)
        // The store reports the commit. The room learns of it three milliseconds later.
        server.store.turn()
        server.clock.advance(milliseconds: 3)
        server.run()
        let counts = server.board.counts
        #expect(counts[.ack].count == 2 && counts[.ack].largest == 10_000_000)
        #expect(counts[.delivery].count == 2 && counts[.delivery].largest == 3_000_000)
    }

    @Test("the times of refused requests are forgotten with their session")
    func forgottenTimes() throws {
        let server = try HandServer()
        defer { server.close() }
        let ann = server.greeted("ann-client")
        let id = try #require(ann.id)
        let times = server.switchboard.readTimes(of: id)
        func refusePush() {
            let edit = #"{"range":[9,9],"text":"x"}"#
            ann.receive(#"{"type":"push","doc":"a","base":0,"seq":1,"edits":[\#(edit)]}"#)
            server.run()
        }
        ann.open()
        server.run()
        refusePush()
        #expect(times.remove(.push(SessionID(id, number: 1), seq: 1)) == server.clock.now)
        refusePush()
        ann.receive(#"{"type":"close","doc":"a"}"#)
        server.run()
        #expect(times.remove(.push(SessionID(id, number: 1), seq: 1)) == nil)
        ann.open()
        server.run()
        refusePush()
        ann.lose()
        server.run()
        #expect(times.remove(.push(SessionID(id, number: 2), seq: 1)) == nil)
    }
}

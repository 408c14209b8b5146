import CaretRooms
import CaretServer
import Dispatch
import Glibc
import TestSupport
import Testing

@Suite("Connections of an event loop")
struct ConnectionTests {
    @Test("all input is received: whole lines, single bytes, and joined lines", arguments: [1, 2])
    func echo(loops: Int) async throws {
        try await withServer(loops: loops) { server in
            let clients = try (0..<3).map { _ in try Client(to: server.address) }
            for (number, client) in clients.enumerated() {
                try client.send("whole \(number)\n")
                #expect(try client.receive(text: 8) == "whole \(number)\n")
                for byte in "bytes\n".utf8 { try client.send([byte]) }
                #expect(try client.receive(text: 6) == "bytes\n")
                try client.send(String(repeating: "glued\n", count: 1_000))
                #expect(try client.receive(text: 6_000) == String(repeating: "glued\n", count: 1_000))
            }
        }
    }

    @Test("many megabytes can be echoed while the client is still sending")
    func largeEcho() async throws {
        try await withServer { server in
            let client = try Client(to: server.address)
            let bytes = (0..<(8 << 20)).map { UInt8(truncatingIfNeeded: $0 &* 31) }
            async let sent: Void = onOwnThread {
                try client.send(bytes)
                client.endOutput()
            }
            let (echoed, code) = try await onOwnThread { client.receiveAll() }
            try await sent
            #expect(code == 0 && echoed == bytes)
        }
    }

    @Test("a client that stops sending gets the pending output before the end")
    func halfClose() async throws {
        let events = Events<HandlerCall>()
        var behaviour = RecordingHandler.Behaviour()
        behaviour.onInputEnded = { connection in
            connection.send(Payload(Array("answer".utf8)))
            connection.endOutput()
        }
        let told = behaviour
        let maker: HandlerMaker = { _ in RecordingHandler(events, told) }
        try await withServer(handler: maker) { server in
            let client = try Client(to: server.address)
            try client.send("question")
            client.endOutput()
            let (answer, code) = client.receiveAll()
            #expect(answer == Array("answer".utf8) && code == 0)
            #expect(await events.next() == .received("question"))
            #expect(await events.next() == .inputEnded)
            guard case .closed(.lost) = await events.next() else {
                Issue.record("both sides have ended, but the connection is not closed")
                return
            }
        }
    }

    @Test("the output of one turn is written by one system call")
    func oneWriteATurn() async throws {
        let events = Events<HandlerCall>()
        var behaviour = RecordingHandler.Behaviour()
        behaviour.recordsWritten = true
        behaviour.onReceived = { connection, _ in
            for _ in 0..<60 { connection.send(Payload(Array("0123456789".utf8))) }
        }
        let told = behaviour
        let maker: HandlerMaker = { _ in RecordingHandler(events, told) }
        try await withServer(handler: maker) { server in
            let client = try Client(to: server.address)
            try client.send("go")
            #expect(try client.receive(600).count == 600)
            #expect(await events.next() == .received("go"))
            #expect(await events.next() == .wrote(600))
            #expect(await server.counters().writes == 1)
        }
    }

    @Test(
        "a turn writes only the first bytes of a long output, and the next turn continues",
        arguments: [[600], [601], [400, 200], [400, 201], [1_800], [1, 1_800]])
    func longOutput(payloads: [Int]) async throws {
        let events = Events<HandlerCall>()
        var behaviour = RecordingHandler.Behaviour()
        behaviour.recordsWritten = true
        behaviour.onReceived = { connection, _ in
            for count in payloads { connection.send(Payload([UInt8](repeating: 0x61, count: count))) }
        }
        var settings = LoopSettings()
        settings.writeBytes = 600
        let told = behaviour
        let maker: HandlerMaker = { _ in RecordingHandler(events, told) }
        try await withServer(settings, handler: maker) { server in
            let client = try Client(to: server.address)
            try client.send("go")
            var left = payloads.reduce(0, +)
            #expect(try client.receive(left).count == left)
            #expect(await events.next() == .received("go"))
            while left > 0 {
                #expect(await events.next() == .wrote(min(left, 600)))
                left -= min(left, 600)
            }
        }
    }

    @Test("if not all payloads fit in one write, all still arrive in order")
    func manyPayloads() async throws {
        let maker: HandlerMaker = { connection in
            for number in 0..<1_000 { connection.send(Payload(Array("\(1_000 + number)".utf8))) }
            return EchoHandler()
        }
        try await withServer(handler: maker) { server in
            let client = try Client(to: server.address)
            #expect(try client.receive(text: 4_000) == (0..<1_000).map { "\(1_000 + $0)" }.joined())
        }
    }

    @Test("after reading is resumed, the input that was left over comes first")
    func keptRest() async throws {
        let events = Events<HandlerCall>()
        let ids = Events<SocketID>()
        var behaviour = RecordingHandler.Behaviour()
        behaviour.takes = { min($0, 4) }
        let told = behaviour
        let maker: HandlerMaker = { connection in
            ids.record(connection.id)
            return RecordingHandler(events, told)
        }
        try await withServer(handler: maker) { server in
            let client = try Client(to: server.address)
            try client.send("one two thr ")
            let id = try #require(await ids.next())
            #expect(await events.next() == .received("one "))
            try client.send("four")
            client.endOutput()
            for word in ["two ", "thr ", "four"] {
                server.loops[0].post { $0[id]?.resumeReading() }
                #expect(await events.next() == .received(word))
            }
            #expect(await events.next() == .inputEnded)
        }
    }

    @Test("the counters of a loop show reads, writes, jobs, turns and events")
    func counters() async throws {
        try await withServer { server in
            let client = try Client(to: server.address)
            for word in ["one", "three"] {
                try client.send(word)
                _ = try client.receive(word.utf8.count)
            }
            await server.wait { $0.bytesWritten == 8 }
            let counters = await server.counters()
            #expect(counters.bytesRead == 8 && counters.reads == 2 && counters.writes == 2)
            #expect(counters.opened == 1 && counters.closed == 0 && counters.blockedWrites == 0)
            // The listener was added by a job. The accepted connection and the two words are events.
            #expect(counters.jobs >= 2 && counters.events >= 3 && counters.turns >= 3)
        }
    }

    @Test("a connection stays open if it is ready but has no bytes to read")
    func readyWithoutBytes() async throws {
        let (events, members) = (Events<HandlerCall>(), Shared<[Int32]>([]))
        let maker: HandlerMaker = { connection in
            let own = connection.descriptor
            members.change { $0.append(own) }
            var behaviour = RecordingHandler.Behaviour()
            // Reads the input of the other connection before the loop does.
            behaviour.onReceived = { _, _ in
                var bytes = [UInt8](repeating: 0, count: 16)
                for other in members.value where other != own {
                    _ = recv(other, &bytes, bytes.count, Int32(MSG_DONTWAIT))
                }
            }
            return RecordingHandler(events, behaviour)
        }
        try await withServer(handler: maker) { server in
            let clients = try (0..<2).map { _ in try Client(to: server.address) }
            await server.wait { $0.opened == 2 }
            // Both connections get bytes during one turn, so the next turn has an event for each.
            let (isBusy, mayContinue) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
            server.loops[0].post { _ in
                isBusy.signal()
                mayContinue.wait()
            }
            try await onOwnThread { isBusy.wait() }
            for client in clients { try client.send("lost") }
            mayContinue.signal()
            for client in clients {
                try client.send("kept")
                // The system may deliver `lost` and `kept` as one piece.
                var text = ""
                while !text.hasSuffix("kept") {
                    guard case .received(let piece) = await events.next() else {
                        Issue.record("the connection ended after \(text)")
                        return
                    }
                    text += piece
                }
            }
            #expect(await server.counters().closed == 0)
        }
    }

    @Test("a paused connection does not read until it is resumed")
    func pausedReading() async throws {
        let events = Events<HandlerCall>()
        let ids = Events<SocketID>()
        let maker = RecordingHandler.paused(events, ids)
        try await withServer(handler: maker) { server in
            let client = try Client(to: server.address)
            try client.send("early")
            let id = try #require(await ids.next())
            for _ in 0..<20 { _ = await server.counters() }
            #expect(await server.counters().reads == 0)
            server.loops[0].post { $0[id]?.resumeReading() }
            #expect(await events.next() == .received("early"))
        }
    }

    @Test("if a peer hangs up while reading is paused, its input is read later")
    func hungUpWhilePaused() async throws {
        let events = Events<HandlerCall>()
        let ids = Events<SocketID>()
        let maker = RecordingHandler.paused(events, ids)
        try await withServer(at: .unix(path: temporaryPath()), handler: maker) { server in
            let id: SocketID
            do {
                let client = try Client(to: server.address)
                try client.send("early")
                id = try #require(await ids.next())
            }
            for _ in 0..<20 { _ = await server.counters() }
            server.loops[0].post { $0[id]?.resumeReading() }
            #expect(await events.next() == .received("early"))
            #expect(await events.next() == .inputEnded)
        }
    }

    @Test("if a peer has hung up, its kept input costs no event for each piece")
    func hungUpInPieces() async throws {
        let (events, ids) = (Events<HandlerCall>(), Events<SocketID>())
        var behaviour = RecordingHandler.Behaviour()
        behaviour.takes = { min($0, 1) }
        let told = behaviour
        let maker: HandlerMaker = { connection in
            ids.record(connection.id)
            return RecordingHandler(events, told)
        }
        try await withServer(at: .unix(path: temporaryPath()), handler: maker) { server in
            let id: SocketID
            do {
                let client = try Client(to: server.address)
                try client.send([UInt8](repeating: 65, count: 300))
                id = try #require(await ids.next())
                #expect(await events.next() == .received("A"))
            }
            let before = await server.counters().events
            for _ in 1..<300 {
                server.loops[0].post { $0[id]?.resumeReading() }
                #expect(await events.next() == .received("A"))
            }
            // Each job may cause one event, which wakes the loop. The hang-up itself is one event too.
            #expect(await server.counters().events <= before + 299 + 10)
        }
    }

    /// Rule O8.
    @Test("a peer that stops reading delays no other peer and loses no output")
    func stoppedReader() async throws {
        let payload = Payload([UInt8](repeating: 7, count: 1 << 20))
        let ids = Events<SocketID>()
        let maker: HandlerMaker = { connection in
            ids.record(connection.id)
            return EchoHandler()
        }
        try await withServer(handler: maker) { server in
            let slow = try Client(to: server.address, receiveBuffer: 4_096)
            let id = try #require(await ids.next())
            let quick = try Client(to: server.address)
            // One payload is sent sixteen times. It takes memory only once.
            let waiting = await server.loops[0].result { sockets in
                for _ in 0..<16 { sockets[id]?.send(payload) }
                return sockets[id]?.waitingBytes
            }
            #expect(waiting == 16 << 20)
            for _ in 0..<200 {
                try quick.send("ping")
                #expect(try quick.receive(text: 4) == "ping")
            }
            let left = await server.loops[0].result { $0[id]?.waitingBytes ?? 0 }
            #expect(try #require(left) > 8 << 20)
            // A blocked write is retried only when the system reports space.
            let blocked = await server.counters().blockedWrites
            #expect(blocked > 0 && blocked < 20)
            #expect(try slow.receive(16 << 20).allSatisfy { $0 == 7 })
        }
    }
}

import CaretRooms
import CaretServer
import CaretTLS
import Glibc
import TestSupport
import Testing

@Suite("Connections with TLS")
struct SecureConnectionTests {
    private let folder: CertificateFolder
    private let context: TLSServerContext
    private let client: TLSClientContext

    init() throws {
        folder = try CertificateFolder()
        let pair = try folder.make("server")
        context = try TLSServerContext(TLSFiles(certificate: pair.certificate, key: pair.key))
        client = try TLSClientContext(.file(pair.certificate))
    }

    /// Makes handlers that begin TLS with the first byte, send these payloads, and then behave as `handler`.
    private func securing(
        sending payloads: [[UInt8]] = [], _ handler: @escaping HandlerMaker = { _ in EchoHandler() }
    ) -> HandlerMaker {
        { [context] in SecuringHandler(handler($0), context, sending: payloads) }
    }

    private func connect(
        to server: Running, _ events: Events<TLSFault> = Events(), receiveBuffer: Int32? = nil
    ) throws -> Client {
        try Client(to: server.address, receiveBuffer: receiveBuffer) {
            TLSTunnel.open(client.makeSession(to: "127.0.0.1", speaking: nil), over: $0) { events.record($0) }
        }
    }

    @Test("all input is received: whole lines, single bytes, and joined lines", arguments: [1, 2])
    func echo(loops: Int) async throws {
        try await withServer(loops: loops, handler: securing()) { server in
            let clients = try (0..<3).map { _ in try connect(to: server) }
            for client in clients {
                try client.send("whole\n")
                #expect(try client.receive(text: 6) == "whole\n")
                for byte in "bytes\n".utf8 { try client.send([byte]) }
                #expect(try client.receive(text: 6) == "bytes\n")
                try client.send(String(repeating: "glued\n", count: 1_000))
                #expect(try client.receive(text: 6_000) == String(repeating: "glued\n", count: 1_000))
            }
        }
    }

    @Test("many megabytes can be echoed while the client is still sending")
    func largeEcho() async throws {
        try await withServer(handler: securing()) { server in
            let client = try connect(to: server)
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

    @Test("after a half close the client gets pending output before the end")
    func halfClose() async throws {
        let events = Events<HandlerCall>()
        var behaviour = RecordingHandler.Behaviour()
        behaviour.onInputEnded = { connection in
            connection.send(Payload(Array("answer".utf8)))
            connection.endOutput()
        }
        let told = behaviour
        try await withServer(handler: securing { _ in RecordingHandler(events, told) }) { server in
            let client = try connect(to: server)
            try client.send("question")
            client.endOutput()
            let (answer, code) = client.receiveAll()
            #expect(answer == Array("answer".utf8) && code == 0)
            #expect(await events.next() == .received("question"))
            #expect(await events.next() == .inputEnded)
        }
    }

    @Test("a handler is told of plain bytes, and small payloads of one turn are one record")
    func wrotePlainBytes() async throws {
        let events = Events<HandlerCall>()
        var behaviour = RecordingHandler.Behaviour()
        behaviour.recordsWritten = true
        behaviour.onReceived = { connection, _ in
            for _ in 0..<60 { connection.send(Payload(Array("0123456789".utf8))) }
        }
        let told = behaviour
        try await withServer(handler: securing { _ in RecordingHandler(events, told) }) { server in
            let client = try connect(to: server)
            try client.send("go")
            #expect(try client.receive(600).count == 600)
            #expect(await events.next() == .received("go"))
            #expect(await events.next() == .wrote(600))
            // The text is one record: 600 bytes with a header of 5 bytes, a type and a tag of 16 bytes. The
            // handshake and the tickets are written before this record or together with it.
            let counters = await server.counters()
            #expect(counters.writes <= 3)
            #expect(counters.bytesWritten > 622 && counters.bytesWritten < 622 + 3_000)
        }
    }

    @Test("payloads of every size arrive unchanged and in order")
    func sizes() async throws {
        let sizes = [1, 16_383, 16_384, 16_385, 3, 40_000, 5, 65_536, 100_000, 7, 200_000]
        let payloads = sizes.enumerated().map { [UInt8](repeating: UInt8($0.offset), count: $0.element) }
        let bytes = payloads.flatMap(\.self)
        let maker = securing(sending: payloads)
        try await withServer(handler: maker) { server in
            let client = try connect(to: server)
            let received = try await onOwnThread { try client.receive(bytes.count) }
            #expect(received == bytes)
        }
    }

    @Test("after reading is resumed, input that was not accepted comes first")
    func keptRest() async throws {
        let events = Events<HandlerCall>()
        let ids = Events<SocketID>()
        var behaviour = RecordingHandler.Behaviour()
        behaviour.takes = { min($0, 4) }
        let told = behaviour
        let maker = securing { connection in
            ids.record(connection.id)
            return RecordingHandler(events, told)
        }
        try await withServer(handler: maker) { server in
            let client = try connect(to: server)
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

    @Test("a slow reader blocks only its own connection, and gets everything")
    func slowReader() async throws {
        let bytes = [UInt8](repeating: 7, count: 4 << 20)
        let maker = securing(sending: [bytes])
        try await withServer(handler: maker) { server in
            let slow = try connect(to: server, receiveBuffer: 4_096)
            await server.wait { $0.blockedWrites > 0 }
            let fast = try connect(to: server)
            #expect(try await onOwnThread { try fast.receive(bytes.count) } == bytes)
            #expect(try await onOwnThread { try slow.receive(bytes.count) } == bytes)
        }
    }

    @Test("more handshakes than one turn allows all complete")
    func manyHandshakes() async throws {
        var settings = LoopSettings()
        settings.handshakeStepsATurn = 1
        try await withServer(settings, handler: securing()) { server in
            let clients = try (0..<40).map { _ in try connect(to: server) }
            for client in clients { try client.send("x") }
            for client in clients { #expect(try client.receive(text: 1) == "x") }
        }
    }

    // MARK: Faults

    @Test("bytes that only begin like TLS close the connection with a fault")
    func notTLS() async throws {
        let events = Events<HandlerCall>()
        try await withServer(handler: securing { _ in RecordingHandler(events) }) { server in
            let client = try Client(to: server.address)
            try client.send([0x16] + Array("{\"type\":\"hello\"}\n".utf8))
            _ = client.receiveAll()
            #expect(await events.next() == .closed(.tlsFailed(.notTLS)))
        }
    }

    @Test("a client that refuses the certificate closes the connection with its alert")
    func refusedCertificate() async throws {
        let (events, faults) = (Events<HandlerCall>(), Events<TLSFault>())
        let stranger = try TLSClientContext(.system)
        try await withServer(handler: securing { _ in RecordingHandler(events) }) { server in
            let client = try Client(to: server.address) {
                TLSTunnel.open(stranger.makeSession(to: "127.0.0.1", speaking: nil), over: $0) {
                    faults.record($0)
                }
            }
            _ = client.receiveAll()
            #expect(await faults.next() == .unknownIssuer(host: "127.0.0.1"))
            #expect(await events.next() == .closed(.tlsFailed(.alert(reason: "tlsv1 alert unknown ca"))))
        }
    }

    @Test("a client that leaves during the handshake ends the input")
    func leftDuringHandshake() async throws {
        let events = Events<HandlerCall>()
        try await withServer(handler: securing { _ in RecordingHandler(events) }) { server in
            let client = try Client(to: server.address)
            try client.send([0x16, 3, 1])
            client.endOutput()
            #expect(await events.next() == .inputEnded)
        }
    }

    @Test("output waits until the handshake is complete")
    func outputDuringHandshake() async throws {
        let maker = securing(sending: [Array("early".utf8)])
        try await withServer(handler: maker) { server in
            let client = try Client(to: server.address)
            try client.send([0x16])
            await server.wait { $0.bytesRead == 1 }
            let waiting = await server.loops[0].result { $0.connections.map(\.waitingBytes) }
            #expect(waiting == [5])
            withExtendedLifetime(client) {}
        }
    }

    @Test("a handler that ends its output during the handshake closes the connection")
    func endedDuringHandshake() async throws {
        let (events, ids) = (Events<HandlerCall>(), Events<SocketID>())
        let maker = securing(sending: [Array("early".utf8)]) { connection in
            ids.record(connection.id)
            return RecordingHandler(events)
        }
        try await withServer(handler: maker) { server in
            let client = try Client(to: server.address)
            try client.send([0x16])
            await server.wait { $0.bytesRead == 1 }
            let id = try #require(await ids.next())
            server.loops[0].post { $0[id]?.endOutput() }
            #expect(client.receiveAll() == ([], 0))
            #expect(await events.next() == .closed(.closedByHandler))
        }
    }

    @Test("a closed connection writes nothing more, because another one may have its descriptor")
    func noWriteAfterClose() async throws {
        var behaviour = RecordingHandler.Behaviour()
        behaviour.onReceived = { connection, _ in connection.close() }
        let told = behaviour
        let maker = securing { _ in RecordingHandler(Events<HandlerCall>(), told) }
        try await withServer(handler: maker) { server in
            let (peer, session) = (
                try Client(to: server.address), client.makeSession(to: "127.0.0.1", speaking: nil)
            )
            while !session.isOpen {
                _ = session.readAll()
                if session.isOpen { break }
                try peer.send(session.takeOutput())
                session.receive(try peer.receiveSome())
            }
            // In one turn, the server completes the handshake, has tickets to send, and closes the connection.
            try session.seal("x")
            try peer.send(session.takeOutput())
            _ = peer.receiveAll()
            await server.wait { $0.closed == 1 }
            // One write of the handshake, and one of the tickets and close_notify.
            #expect(await server.counters().writes == 2)
        }
    }

    @Test("a connection that its handler closes sends close_notify")
    func closeNotify() async throws {
        var behaviour = RecordingHandler.Behaviour()
        behaviour.onReceived = { connection, _ in connection.close() }
        let told = behaviour
        let maker = securing { _ in RecordingHandler(Events<HandlerCall>(), told) }
        try await withServer(handler: maker) { server in
            let client = try connect(to: server)
            try client.send("x")
            #expect(client.receiveAll() == ([], 0))
        }
    }
}

/// Begins TLS with the first bytes, and passes all later calls on.
private final class SecuringHandler: ConnectionHandler {
    private let handler: any ConnectionHandler
    private let context: TLSServerContext
    private let payloads: [[UInt8]]
    private var isSecure = false

    init(_ handler: any ConnectionHandler, _ context: TLSServerContext, sending payloads: [[UInt8]]) {
        self.handler = handler
        self.context = context
        self.payloads = payloads
    }

    func received(_ bytes: UnsafeRawBufferPointer, on connection: any ConnectionPort) -> Int {
        if isSecure { return handler.received(bytes, on: connection) }
        isSecure = true
        connection.startTLS(context)
        for payload in payloads { connection.send(Payload(payload)) }
        return 0
    }

    func inputEnded(on connection: any ConnectionPort) { handler.inputEnded(on: connection) }

    func wrote(_ bytes: Int, on connection: any ConnectionPort) { handler.wrote(bytes, on: connection) }

    func deadlinePassed(on connection: any ConnectionPort) { handler.deadlinePassed(on: connection) }

    func closed(_ reason: CloseReason, on connection: any ConnectionPort) {
        handler.closed(reason, on: connection)
    }
}

extension TLSSession {
    /// Decrypts what has arrived.
    fileprivate func readAll() -> [UInt8] {
        [UInt8](unsafeUninitializedCapacity: 65_536) { buffer, count in
            count = read(into: UnsafeMutableRawBufferPointer(buffer)).count
        }
    }

    fileprivate func receive(_ bytes: [UInt8]) { bytes.withUnsafeBytes { receive($0) } }

    fileprivate func seal(_ text: String) throws { try Array(text.utf8).withUnsafeBytes { try seal($0) } }

    fileprivate func takeOutput() -> [UInt8] {
        let bytes = Array(output)
        removeOutput(bytes.count)
        return bytes
    }
}

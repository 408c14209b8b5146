import CaretTLS
import TestSupport
import Testing

@Suite("A TLS session gets and makes bytes, and needs no socket")
struct TLSSessionTests {
    private let folder: CertificateFolder

    init() throws { folder = try CertificateFolder() }

    private func openPair(_ spoken: ApplicationProtocol? = nil) throws -> SessionPair {
        let pair = try SessionPair(speaking: spoken, in: folder)
        let ends = pair.shakeHands()
        try #require(ends.client == .needsInput && ends.server == .needsInput)
        try #require(pair.client.isOpen && pair.server.isOpen)
        return pair
    }

    @Test("a client that trusts the certificate shakes hands, with TLS 1.3")
    func handshake() throws {
        let pair = try openPair()
        #expect(pair.server.version == "TLSv1.3")
        #expect(pair.client.peerCertificate?.names == ["localhost", "127.0.0.1"])
    }

    @Test("texts arrive unchanged in both directions")
    func bothDirections() throws {
        let pair = try openPair()
        try pair.client.seal("{\"type\":\"hello\"}\n")
        #expect(pair.client.pass(to: pair.server).bytes == Array("{\"type\":\"hello\"}\n".utf8))
        try pair.server.seal("{\"type\":\"welcome\"}\n")
        #expect(pair.server.pass(to: pair.client).bytes == Array("{\"type\":\"welcome\"}\n".utf8))
    }

    @Test(
        "a handshake and a text arrive, whatever the number of bytes at a time", arguments: [1, 2, 3, 7, 61])
    func smallSteps(step: Int) throws {
        let pair = try SessionPair(in: folder)
        _ = pair.client.readAll()
        for _ in 0..<4 {
            _ = pair.client.pass(to: pair.server, step: step)
            _ = pair.server.pass(to: pair.client, step: step)
        }
        try pair.client.seal("half records")
        #expect(pair.client.pass(to: pair.server, step: step).bytes == Array("half records".utf8))
    }

    @Test("a record that is cut at any byte gives its text only once it is complete")
    func cutAtEveryByte() throws {
        let pair = try openPair()
        try pair.client.seal("x")
        let size = pair.client.output.count
        _ = pair.client.pass(to: pair.server)
        for cut in 1..<size {
            try pair.client.seal("x")
            let record = pair.client.takeOutput()
            pair.server.receive(record[..<cut])
            #expect(pair.server.readAll() == ([], .needsInput), "\(cut) of \(size) bytes")
            pair.server.receive(record[cut...])
            #expect(pair.server.readAll() == (Array("x".utf8), .needsInput), "\(cut) of \(size) bytes")
        }
    }

    @Test("16 KiB are one record, and a small buffer reads it in pieces")
    func wholeRecord() throws {
        let pair = try openPair()
        let bytes = (0..<TLSSession.recordBytes).map { UInt8(truncatingIfNeeded: $0) }
        try pair.server.seal(bytes)
        let record = pair.server.takeOutput()
        // A record begins with its type, its version and the size of the rest.
        #expect(Int(record[3]) << 8 | Int(record[4]) == record.count - 5)
        pair.client.receive(record)
        #expect(pair.client.readAll().bytes == bytes)
    }

    @Test("output that is sent in pieces stays in order")
    func partialOutput() throws {
        let pair = try openPair()
        let bytes = [UInt8](repeating: 1, count: 9_000)
        try pair.server.seal(bytes)
        var (received, sentPieces): ([UInt8], Int) = ([], 0)
        while !pair.server.output.isEmpty {
            let piece = pair.server.output.prefix(100)
            pair.client.receive(piece)
            pair.server.removeOutput(piece.count)
            sentPieces += 1
            // Add more output while only a part of the first output was sent.
            if sentPieces == 3 { try pair.server.seal("end") }
            received += pair.client.readAll().bytes
        }
        #expect(received == bytes + Array("end".utf8))
    }

    @Test("close_notify ends the input of the peer, which may still send")
    func closeNotify() throws {
        let pair = try openPair()
        pair.client.endOutput()
        pair.client.endOutput()
        #expect(pair.client.pass(to: pair.server) == ([], .ended))
        try pair.server.seal("bye")
        #expect(pair.server.pass(to: pair.client).bytes == Array("bye".utf8))
    }

    @Test("before the handshake is complete, close_notify is not sent")
    func closeBeforeHandshake() throws {
        let pair = try SessionPair(in: folder)
        pair.server.endOutput()
        #expect(pair.server.output.isEmpty)
    }

    @Test("text before close_notify arrives with the end")
    func textThenEnd() throws {
        let pair = try openPair()
        try pair.client.seal("last")
        pair.client.endOutput()
        #expect(pair.client.pass(to: pair.server) == (Array("last".utf8), .ended))
    }

    @Test("without close_notify, the session just needs input")
    func noCloseNotify() throws {
        let pair = try openPair()
        try pair.client.seal("last")
        #expect(pair.client.pass(to: pair.server) == (Array("last".utf8), .needsInput))
    }

    // MARK: Hostile bytes

    @Test(
        "bytes that are not TLS are refused",
        arguments: [
            "GET / HTTP/1.1\r\n\r\n", "{\"type\":\"hello\"}\n", "POST / HTTP/1.1\r\nHost: localhost\r\n\r\n",
        ])
    func plainBytes(text: String) throws {
        let pair = try SessionPair(in: folder)
        pair.server.receive(text.utf8)
        #expect(pair.server.readAll() == ([], .failed(.notTLS)))
    }

    @Test("a client whose server answers without TLS says so")
    func plainServer() throws {
        let pair = try SessionPair(in: folder)
        _ = pair.client.readAll()
        pair.client.receive("{\"type\":\"error\",\"code\":\"bad_json\"}\n".utf8)
        #expect(pair.client.readAll() == ([], .failed(.notTLS)))
        #expect("\(TLSFault.notTLS)" == "the peer does not speak TLS on this port")
    }

    @Test("garbage after the handshake ends the session, with an alert for the peer")
    func garbage() throws {
        let pair = try openPair()
        pair.server.receive([UInt8](repeating: 0x17, count: 40_000))
        guard case .failed = pair.server.readAll().end else {
            Issue.record("garbage was accepted")
            return
        }
        #expect(!pair.server.isOpen)
        // The fault stays.
        pair.server.receive([1])
        guard case .failed = pair.server.readAll().end else {
            Issue.record("the fault is gone")
            return
        }
        guard case .failed(.alert) = pair.server.pass(to: pair.client).end else {
            Issue.record("the peer got no alert")
            return
        }
    }

    @Test("a record with one changed byte is refused")
    func changedRecord() throws {
        let pair = try openPair()
        try pair.client.seal("a secret")
        var record = pair.client.takeOutput()
        record[record.count - 1] ^= 1
        pair.server.receive(record)
        #expect(
            pair.server.readAll() == ([], .failed(.failed(reason: "decryption failed or bad record mac"))))
    }

    @Test("random bytes never make a session accept a text", arguments: 0..<UInt64(200))
    func randomBytes(seed: UInt64) throws {
        var random = Seeded(seed)
        let context = Self.shared.context
        let session = context.makeSession()
        for _ in 0..<random.number(1...4) {
            let type = random.pick([0x14, 0x15, 0x16, 0x17, 0x80] as [UInt8])
            let size = random.number(0...600)
            let header = [type, 3, UInt8(random.number(0...4)), UInt8(size >> 8), UInt8(size & 255)]
            session.receive(header + (0..<size).map { _ in UInt8(truncatingIfNeeded: random.next()) })
            #expect(session.readAll().bytes.isEmpty)
            #expect(!session.isOpen)
        }
    }

    @Test("a changed byte in the handshake never makes a session open", arguments: 0..<100)
    func changedHandshake(index: Int) throws {
        let pair = SessionPair(Self.shared.context, Self.shared.client)
        _ = pair.client.readAll()
        var hello = pair.client.takeOutput()
        // The hash of the handshake does not cover the five bytes of the record's header.
        hello[5 + index * (hello.count - 5) / 100] ^= 0x41
        pair.server.receive(hello)
        _ = pair.server.readAll()
        for _ in 0..<3 {
            _ = pair.server.pass(to: pair.client)
            _ = pair.client.pass(to: pair.server)
        }
        #expect(!pair.server.isOpen)
    }

    private struct Shared: Sendable {
        let folder: CertificateFolder
        let context: TLSServerContext
        let client: TLSClientContext
    }

    /// Tests with many cases share a certificate.
    private static let shared = {
        do {
            let folder = try CertificateFolder()
            let pair = try folder.make("shared")
            return Shared(
                folder: folder, context: try TLSServerContext(TLSFiles(pair)),
                client: try TLSClientContext(.file(pair.certificate)))
        } catch {
            preconditionFailure("no certificate for tests: \(error)")
        }
    }()

    // MARK: ALPN

    @Test("ALPN agrees on what the client offers", arguments: ApplicationProtocol.allCases)
    func protocols(spoken: ApplicationProtocol) throws {
        let pair = try openPair(spoken)
        #expect(pair.server.agreedProtocol == spoken)
        #expect(pair.client.agreedProtocol == spoken)
    }

    @Test("a client without ALPN agrees on nothing, and is served")
    func noProtocol() throws {
        let pair = try openPair(nil)
        #expect(pair.server.agreedProtocol == nil)
        #expect(pair.client.agreedProtocol == nil)
    }
}

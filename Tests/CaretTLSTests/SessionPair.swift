import CaretTLS
import TestSupport
import Testing

/// A client and a server session, whose bytes a test moves from one to the other.
struct SessionPair {
    let client: TLSSession
    let server: TLSSession

    /// A server with a new certificate, and a client that trusts it.
    init(
        speaking spoken: ApplicationProtocol? = nil, to host: String = "localhost",
        in folder: CertificateFolder
    ) throws {
        let files = try folder.make("server")
        let context = try TLSServerContext(TLSFiles(files))
        self.init(context, try TLSClientContext(.file(files.certificate)), speaking: spoken, to: host)
    }

    init(
        _ server: TLSServerContext, _ client: TLSClientContext, speaking spoken: ApplicationProtocol? = nil,
        to host: String = "localhost", at time: TLSTime? = nil
    ) {
        self.server = server.makeSession()
        self.client = client.makeSession(to: host, speaking: spoken, at: time)
    }

    /// Completes the handshake. Returns why each end stopped reading.
    @discardableResult
    func shakeHands() -> (client: TLSSession.ReadingEnd, server: TLSSession.ReadingEnd) {
        var ends = (client: client.readAll().end, server: TLSSession.ReadingEnd.needsInput)
        for _ in 0..<4 {
            ends.server = client.pass(to: server).end
            ends.client = server.pass(to: client).end
        }
        return ends
    }
}

extension TLSSession {
    /// Decrypts everything that has arrived.
    func readAll() -> (bytes: [UInt8], end: ReadingEnd) {
        var all: [UInt8] = []
        while true {
            var end = ReadingEnd.full
            let piece = [UInt8](unsafeUninitializedCapacity: 1_000) { buffer, count in
                (count, end) = read(into: UnsafeMutableRawBufferPointer(buffer))
            }
            all += piece
            if end != .full { return (all, end) }
        }
    }

    /// Removes and returns the bytes to send.
    func takeOutput() -> [UInt8] {
        let bytes = Array(output)
        removeOutput(bytes.count)
        return bytes
    }

    func receive(_ bytes: some Collection<UInt8>) { Array(bytes).withUnsafeBytes { receive($0) } }

    /// Sends all output to the peer, which then reads. At most `step` bytes arrive at a time.
    func pass(to peer: TLSSession, step: Int = .max) -> (bytes: [UInt8], end: ReadingEnd) {
        var rest = takeOutput()[...]
        var (bytes, end) = peer.readAll()
        while !rest.isEmpty {
            peer.receive(rest.prefix(step))
            rest = rest.dropFirst(step)
            let (piece, pieceEnd) = peer.readAll()
            bytes += piece
            end = pieceEnd
        }
        return (bytes, end)
    }

    func seal(_ text: String) throws { try Array(text.utf8).withUnsafeBytes { try seal($0) } }

    func seal(_ bytes: [UInt8]) throws { try bytes.withUnsafeBytes { try seal($0) } }
}

extension TLSFiles {
    init(_ pair: CertificateFolder.Pair) { self.init(certificate: pair.certificate, key: pair.key) }
}

extension TLSTrust {
    static func certificate(of pair: CertificateFolder.Pair) -> TLSTrust { .file(pair.certificate) }
}

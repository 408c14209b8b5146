import CaretClient
import CaretTLS
import Foundation
import TestSupport
import Testing

@Suite("Clients over TLS") struct TLSClientTests {
    private let folder: CertificateFolder
    private let pair: CertificateFolder.Pair
    private let server: ServerProcess
    private let port: UInt16

    init() throws {
        folder = try CertificateFolder()
        pair = try folder.make("server")
        server = try ServerProcess([
            "--tls-certificate", pair.certificate, "--tls-key", pair.key, "--tls", "required",
        ])
        guard case .tcp(_, let port) = server.address else {
            preconditionFailure("the server listens at \(server.address)")
        }
        self.port = port
    }

    private func address(_ trust: ServerTrust, host: String = "127.0.0.1") -> ServerAddress {
        .tls(host: host, port: port, trust: trust)
    }

    private func fingerprint() throws -> [UInt8] {
        try TLSServerContext(TLSFiles(certificate: pair.certificate, key: pair.key)).certificate.fingerprint
    }

    @Test("a client that trusts a file, or the pinned certificate, reads and edits")
    func trusted() async throws {
        for address in [
            address(.file(pair.certificate)), address(.file(pair.certificate), host: "localhost"),
            address(.pinned(sha256: try fingerprint())),
            try #require(ServerAddress("carets://127.0.0.1:\(port)?trust=\(pair.certificate)")),
        ] {
            let client = LiveClient(address, .oneShot)
            try await client.connected()
            _ = try await client.list()
            client.close()
        }
    }

    @Test("a long text arrives in both directions")
    func longText() async throws {
        let (writer, reader) = (
            LiveClient(address(.file(pair.certificate))), LiveClient(address(.file(pair.certificate)))
        )
        let text = String(repeating: "A long line of an ordinary text.\n", count: 30_000)
        let document = writer.open("a", creating: true)
        _ = try await document.opened()
        try document.setText(text)
        try await document.saved()
        #expect(try await reader.read("a").text == text)
    }

    @Test("a text that the connection does not take at once arrives")
    func slowServer() async throws {
        let client = LiveClient(address(.file(pair.certificate)))
        let document = client.open("a", creating: true)
        _ = try await document.opened()
        server.standStill()
        // Each character takes six bytes of the message, which is longer than the system's buffers.
        let text = String(repeating: "\u{1}", count: 3 << 20)
        try document.setText(text)
        try await Task.sleep(for: .milliseconds(200))
        server.goOn()
        try await document.saved()
        #expect(try await client.read("a").text == text)
    }

    @Test("an edit that was made while the server was down is saved once it runs again")
    func reconnected() async throws {
        let client = LiveClient(address(.file(pair.certificate)))
        let document = client.open("a", creating: true)
        _ = try await document.opened()
        try document.setText("one")
        try await document.saved()
        server.kill()
        try document.setText("one two")
        try server.start()
        try await document.saved()
        #expect(try await client.read("a").text == "one two")
    }

    private func fault(of address: ServerAddress) async -> ConnectionFault? {
        do {
            try await LiveClient(address, .oneShot).connected()
            return nil
        } catch {
            return error as? ConnectionFault
        }
    }

    @Test("a client refuses a server that it does not trust, and says why")
    func notTrusted() async throws {
        let other = try folder.make("other", for: "DNS:other.example")
        let missing = folder.path + "/none.pem"
        let cases: [(ServerAddress, TLSFault)] = [
            (address(.system), .unknownIssuer(host: "127.0.0.1")),
            (address(.file(other.certificate)), .unknownIssuer(host: "127.0.0.1")),
            (address(.file(missing)), .unreadable(path: missing, reason: "No such file or directory")),
            (
                address(.pinned(sha256: [UInt8](repeating: 0, count: 32))),
                .notPinned(
                    host: "127.0.0.1", found: Certificate.text(ofFingerprint: try fingerprint()))
            ),
        ]
        for (address, fault) in cases {
            let found = await self.fault(of: address)
            #expect(found == .unreachable(address, reason: fault.description))
        }
    }

    @Test("a client refuses a certificate for another name")
    func otherName() async throws {
        let other = try folder.make("other", for: "DNS:other.example")
        let server = try ServerProcess(["--tls-certificate", other.certificate, "--tls-key", other.key])
        guard case .tcp(let host, let port) = server.address else { return }
        let address = ServerAddress.tls(host: host, port: port, trust: .file(other.certificate))
        let reason = TLSFault.wrongHost(host: "127.0.0.1").description
        #expect(await fault(of: address) == .unreachable(address, reason: reason))
    }

    @Test("a client without TLS is closed by a server that requires TLS")
    func plainClient() async throws {
        let found = await fault(of: server.address)
        #expect(found == .unreachable(server.address, reason: LineConnection.hintAtTLS))
        #expect(LineConnection.hintAtTLS.contains("carets://"))
    }

    @Test("a client with TLS learns that the server has no certificate")
    func plainServer() async throws {
        let plain = try ServerProcess()
        guard case .tcp(let host, let port) = plain.address else { return }
        let address = ServerAddress.tls(host: host, port: port, trust: .system)
        #expect(
            await fault(of: address)
                == .unreachable(
                    address,
                    reason:
                        "the server closed the connection instead of beginning TLS; it may have no certificate"
                ))
    }
}

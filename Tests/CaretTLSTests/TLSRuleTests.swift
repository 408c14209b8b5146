import COpenSSL
import CaretTLS
import TestSupport
import Testing

@Suite("A server accepts only what is safe")
struct TLSRuleTests {
    private let folder: CertificateFolder
    private let context: TLSServerContext

    init() throws {
        folder = try CertificateFolder()
        context = try TLSServerContext(TLSFiles(try folder.make("server")))
    }

    @Test(
        "TLS 1.2 and 1.3 are accepted", arguments: [(TLS1_2_VERSION, "TLSv1.2"), (TLS1_3_VERSION, "TLSv1.3")])
    func versions(version: Int32, name: String) {
        let (client, server) = (OpenSSLClient(.init(version: version)), context.makeSession())
        #expect(client.shakeHands(with: server) == .needsInput)
        #expect(client.isOpen && server.isOpen)
        #expect(server.version == name)
        client.send("x")
        #expect(client.pass(to: server).bytes == Array("x".utf8))
    }

    @Test("older versions are refused", arguments: [TLS1_VERSION, TLS1_1_VERSION])
    func oldVersions(version: Int32) {
        let (client, server) = (OpenSSLClient(.init(version: version)), context.makeSession())
        #expect(client.shakeHands(with: server) == .failed(.failed(reason: "unsupported protocol")))
        #expect(client.failure == "tlsv1 alert protocol version")
    }

    @Test(
        "with TLS 1.2, suites with ECDHE and authenticated encryption are accepted",
        arguments: ["ECDHE-ECDSA-AES128-GCM-SHA256", "ECDHE-ECDSA-CHACHA20-POLY1305"])
    func suites(suite: String) {
        let client = OpenSSLClient(.init(version: TLS1_2_VERSION, suites: suite))
        #expect(client.shakeHands(with: context.makeSession()) == .needsInput)
        #expect(client.suite == suite)
    }

    @Test(
        "with TLS 1.2, other suites are refused",
        arguments: [
            "ECDHE-ECDSA-AES128-SHA", "ECDHE-ECDSA-AES256-SHA384", "AES128-GCM-SHA256",
            "ECDHE-ECDSA-AES128-CCM",
        ])
    func otherSuites(suite: String) {
        let client = OpenSSLClient(.init(version: TLS1_2_VERSION, suites: suite + ":@SECLEVEL=0"))
        #expect(
            client.shakeHands(with: context.makeSession()) == .failed(.failed(reason: "no shared cipher")))
    }

    @Test("a client that offers only other protocols gets the alert for that")
    func otherProtocols() {
        let (client, server) = (OpenSSLClient(.init(protocols: ["h2", "http/1.0"])), context.makeSession())
        #expect(client.shakeHands(with: server) == .failed(.failed(reason: "no application protocol")))
        #expect(client.failure == "tlsv1 alert no application protocol")
    }

    @Test("of several protocols, the server chooses one that it speaks")
    func severalProtocols() {
        let (client, server) = (OpenSSLClient(.init(protocols: ["h2", "caret/1"])), context.makeSession())
        #expect(client.shakeHands(with: server) == .needsInput)
        #expect(server.agreedProtocol == .lines)
    }

    @Test("a client cannot renegotiate")
    func renegotiation() {
        let (client, server) = (OpenSSLClient(.init(version: TLS1_2_VERSION)), context.makeSession())
        client.shakeHands(with: server)
        client.renegotiate()
        // The server answers with a warning, and the session goes on.
        #expect(client.pass(to: server) == ([], .needsInput))
        #expect(server.isOpen)
    }

    @Test("a client that asks for new keys again and again, but does not read, is refused")
    func keyUpdates() {
        let (client, server) = (OpenSSLClient(), context.makeSession())
        client.shakeHands(with: server)
        var end = TLSSession.ReadingEnd.needsInput
        for _ in 0..<100_000 where end == .needsInput {
            client.updateKeys()
            client.send("x")
            end = client.pass(to: server).end
        }
        #expect(end == .failed(.floodedWithRequests))
        #expect(server.output.count < TLSSession.waitingBytes + 1_000)
        #expect("\(TLSFault.floodedWithRequests)".contains("new keys too often"))
    }

    @Test("a client may ask for new keys, and texts still arrive")
    func keyUpdate() throws {
        let (client, server) = (OpenSSLClient(), context.makeSession())
        client.shakeHands(with: server)
        client.updateKeys()
        client.send("new keys")
        #expect(client.pass(to: server) == (Array("new keys".utf8), .needsInput))
        try server.seal("answer")
        #expect(!server.output.isEmpty)
    }
}

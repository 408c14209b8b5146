import CaretTLS
import TestSupport
import Testing

@Suite("A client trusts only the server that it wants, and a server reloads its files")
struct TLSContextTests {
    private let folder: CertificateFolder

    init() throws { folder = try CertificateFolder() }

    /// The fault of a client that connects to a server.
    private func fault(
        of server: CertificateFolder.Pair, trusting trust: TLSTrust, to host: String = "localhost",
        at time: TLSTime? = nil
    ) throws -> TLSFault? {
        let pair = SessionPair(
            try TLSServerContext(TLSFiles(server)), try TLSClientContext(trust), to: host, at: time)
        let ends = pair.shakeHands()
        guard case .failed(let fault) = ends.client else {
            #expect(pair.server.isOpen)
            return nil
        }
        return fault
    }

    // MARK: Trust

    @Test("a certificate of an unknown issuer is refused by the system's store")
    func systemStore() throws {
        let server = try folder.make("a")
        #expect(try fault(of: server, trusting: .system) == .unknownIssuer(host: "localhost"))
        #expect("\(TLSFault.unknownIssuer(host: "h"))".contains("not issued by an authority"))
    }

    @Test("a file trusts its certificate, and what it issued")
    func file() throws {
        let issuer = try folder.make("issuer", for: "DNS:issuer")
        let server = try folder.make("a", issuer: issuer)
        #expect(try fault(of: server, trusting: .certificate(of: server)) == nil)
        #expect(try fault(of: server, trusting: .certificate(of: issuer)) == nil)
        let other = try folder.make("other")
        #expect(try fault(of: server, trusting: .certificate(of: other)) == .unknownIssuer(host: "localhost"))
    }

    @Test("a file of trust that cannot be used is named")
    func missingTrust() throws {
        let path = folder.path + "/none.pem"
        #expect(throws: TLSFault.unreadable(path: path, reason: "No such file or directory")) {
            try TLSClientContext(.file(path))
        }
    }

    @Test("the certificate must name the host, or its address", arguments: ["localhost", "127.0.0.1"])
    func names(host: String) throws {
        let server = try folder.make("a")
        #expect(try fault(of: server, trusting: .certificate(of: server), to: host) == nil)
    }

    @Test("another name or address is refused", arguments: ["other.example", "127.0.0.2", "::1"])
    func otherNames(host: String) throws {
        let server = try folder.make("a")
        let expected = TLSFault.wrongHost(host: host)
        #expect(try fault(of: server, trusting: .certificate(of: server), to: host) == expected)
        #expect("\(expected)".contains("does not contain the name \(host)"))
    }

    @Test("the pinned certificate is accepted under any name, and no other certificate is")
    func pinned() throws {
        let (server, other) = (try folder.make("a"), try folder.make("b"))
        let pin = try TLSServerContext(TLSFiles(server)).certificate.fingerprint
        #expect(try fault(of: server, trusting: .pinned(pin), to: "any.example") == nil)
        let found = try TLSServerContext(TLSFiles(other)).certificate.fingerprintText
        let expected = TLSFault.notPinned(host: "localhost", found: found)
        #expect(try fault(of: other, trusting: .pinned(pin)) == expected)
        #expect("\(expected)".hasSuffix("its SHA-256 is \(found)"))
    }

    @Test("a client refuses a certificate that ended or is not valid yet")
    func times() throws {
        let server = try folder.make("a")
        let certificate = try TLSServerContext(TLSFiles(server)).certificate
        let trust = TLSTrust.certificate(of: server)
        #expect(
            try fault(of: server, trusting: trust, at: certificate.end.after(days: 1))
                == .serverCertificateEnded(host: "localhost"))
        #expect(
            try fault(of: server, trusting: trust, at: certificate.start.after(days: -1))
                == .serverCertificateNotYetValid(host: "localhost"))
        #expect("\(TLSFault.serverCertificateEnded(host: "h"))".contains("has ended"))
        #expect("\(TLSFault.serverCertificateNotYetValid(host: "h"))".contains("not valid yet"))
    }

    @Test("a server learns that its client refuses the certificate")
    func alert() throws {
        let server = try folder.make("a")
        let pair = SessionPair(try TLSServerContext(TLSFiles(server)), try TLSClientContext(.system))
        #expect(pair.shakeHands().server == .failed(.alert(reason: "tlsv1 alert unknown ca")))
        #expect("\(TLSFault.alert(reason: "x"))" == "the peer refused TLS: x")
        #expect("\(TLSFault.failed(reason: "x"))" == "TLS failed: x")
    }

    // MARK: Reload

    @Test("a reload changes new sessions, and not the open ones")
    func reload() throws {
        let (old, new) = (try folder.make("old"), try folder.make("new"))
        let files = TLSFiles(
            certificate: try folder.write(folder.text(of: old.certificate), to: "c"),
            key: try folder.write(folder.text(of: old.key), to: "k"))
        let context = try TLSServerContext(files)
        let before = SessionPair(context, try TLSClientContext(.certificate(of: old)))
        before.shakeHands()
        _ = try folder.write(folder.text(of: new.certificate), to: "c")
        _ = try folder.write(folder.text(of: new.key), to: "k")
        try context.reload()
        let after = SessionPair(context, try TLSClientContext(.certificate(of: new)))
        #expect(after.shakeHands().client == .needsInput)
        #expect(after.client.peerCertificate == context.certificate)
        try before.server.seal("still here")
        #expect(before.server.pass(to: before.client).bytes == Array("still here".utf8))
    }

    @Test("a reload that fails keeps the earlier certificate")
    func failedReload() throws {
        let (old, new) = (try folder.make("old"), try folder.make("new"))
        let files = TLSFiles(
            certificate: try folder.write(folder.text(of: old.certificate), to: "c"), key: old.key)
        let context = try TLSServerContext(files)
        _ = try folder.write(folder.text(of: new.certificate), to: "c")
        #expect(throws: TLSFault.wrongKey(certificate: files.certificate, key: files.key)) {
            try context.reload()
        }
        let pair = SessionPair(context, try TLSClientContext(.certificate(of: old)))
        #expect(pair.shakeHands().client == .needsInput)
    }

    @Test("sessions work after the keys of tickets were renewed, with the whole chain")
    func renewedTicketKeys() throws {
        let issuer = try folder.make("issuer", for: "DNS:issuer")
        let middle = try folder.make("middle", for: "DNS:middle", issuer: issuer)
        let server = try folder.make("a", issuer: middle)
        let chain = try folder.write(
            folder.text(of: server.certificate) + folder.text(of: middle.certificate), to: "chain.pem")
        let context = try TLSServerContext(TLSFiles(certificate: chain, key: server.key))
        for _ in 0..<2 {
            let pair = SessionPair(context, try TLSClientContext(.certificate(of: issuer)))
            #expect(pair.shakeHands().client == .needsInput)
            #expect(pair.client.peerCertificate == context.certificate)
            context.renewTicketKeys()
        }
    }
}

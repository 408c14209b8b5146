import CaretTLS
import Foundation
import Glibc
import TestSupport
import Testing

@Suite("TLS on the port of lines", .onOwnThread) struct TLSTests {
    private let folder: CertificateFolder
    private let pair: CertificateFolder.Pair

    init() throws {
        folder = try CertificateFolder()
        pair = try folder.make("server")
    }

    private func server(_ options: [String: String] = [:]) throws -> LiveServer {
        let own = ["--tls-certificate": pair.certificate, "--tls-key": pair.key]
        return try LiveServer(own.merging(options) { $1 })
    }

    private var trust: TLSTrust { .file(pair.certificate) }

    // MARK: Protocols

    @Test("HTTPS works on the same port, and its origin is https")
    func https() throws {
        let server = try server()
        for (origin, status) in [("https", 200), ("http", 403)] {
            let client = try LineClient(server, trusting: trust)
            let host = "localhost:\(server.port)"
            try client.request("GET /healthz", host: host, "Origin: \(origin)://\(host)")
            #expect(try client.response().status == status, "\(origin)")
        }
    }

    @Test("an agreed protocol is served, and nothing else on that connection")
    func agreedProtocols() throws {
        let server = try server()
        let lines = try LineClient(server, trusting: trust, speaking: .lines)
        try lines.greet(as: "ann-client")
        let web = try LineClient(server, trusting: trust, speaking: .http)
        try web.request("GET /healthz")
        #expect(try web.response().status == 200)
        let mixed = try LineClient(server, trusting: trust, speaking: .http)
        try mixed.send(#"{"type":"hello","protocol":1,"client":"ann-client"}"#)
        try mixed.expectEnd()
        let other = try LineClient(server, trusting: trust, speaking: .lines)
        try other.request("GET /healthz")
        try other.expectEnd()
    }

    // MARK: Required, offered, missing

    @Test("on loopback, TLS is offered by default, and plain lines still work")
    func offered() throws {
        let client = try LineClient(try server())
        try client.greet(as: "ann-client")
    }

    @Test("required TLS closes plain lines, and answers plain HTTP with 426")
    func required() throws {
        let server = try server(["--tls": "required", "--log-level": "debug"])
        let lines = try LineClient(server)
        try lines.send(#"{"type":"hello","protocol":1,"client":"ann-client"}"#)
        try lines.expectEnd()
        try server.waitForLog(/event=connection_closed connection=\d+ reason=tls_required/)
        let web = try LineClient(server)
        try web.request("GET /healthz")
        let response = try web.response()
        #expect(response.status == 426)
        #expect(response.body.contains("this server requires TLS; use https:// or wss://"))
        try LineClient(server, trusting: trust).greet(as: "ann-client")
        try LineClient(server, at: .adminSocket).greet(as: "ann-client")
    }

    @Test("on other addresses, TLS is required as soon as there is a certificate")
    func requiredElsewhere() throws {
        let address = try #require(Address.ownAddress)
        let host = [24, 16, 8, 0].map { "\(address >> $0 & 255)" }.joined(separator: ".")
        let server = try server(["--listen": "\(host):0", "--require-tokens": "true"])
        let client = try LineClient(server, at: .address(address))
        try client.send(#"{"type":"hello","protocol":1,"client":"ann-client"}"#)
        try client.expectEnd()
    }

    @Test("a server without a certificate closes connections that begin TLS, and counts them")
    func noCertificate() throws {
        let server = try LiveServer(["--log-level": "debug"])
        let client = try LineClient(server, trusting: trust)
        try client.expectEnd()
        try server.waitForLog(/event=connection_closed connection=\d+ reason=no_certificate/)
        #expect(try counter("tls_failures", of: server) == 1)
    }

    private func counter(_ name: String, of server: LiveServer) throws -> Int? {
        let admin = try LineClient(server, at: .adminSocket)
        try admin.greet(as: "admin-client")
        try admin.send(#"{"type":"counters","id":1}"#)
        let line = try #require(try admin.next())
        let pattern = try Regex("\"\(name)\",\"value\":(\\d+)", as: (Substring, Substring).self)
        return line.firstMatch(of: pattern).flatMap { Int($0.1) }
    }

    @Test("plain bytes and half records do not disturb other clients")
    func hostileBytes() throws {
        let server = try server(["--log-level": "debug"])
        let client = try LineClient(server, trusting: trust)
        try client.greet(as: "ann-client")
        let garbage = try LineClient(server)
        try garbage.send(bytes: [0x16, 3, 1, 0, 5] + Array("hello, this is no TLS".utf8))
        _ = try garbage.remainingMessages()
        try server.waitForLog(/event=connection_closed connection=\d+ reason=tls_failed/)
        let half = try LineClient(server)
        try half.send(bytes: [0x16, 3, 1, 2, 0, 1, 0])
        try half.endOutput()
        #expect(try half.remainingMessages() == [])
        try client.send(#"{"type":"ping","id":1}"#)
        try client.expect(#"{"type":"pong","id":1}"#)
        #expect(try counter("tls_connections", of: server) == 1)
    }

    @Test("a client that never completes its handshake is disconnected in time")
    func slowHandshake() throws {
        let client = try LineClient(try server(["--limit-hello-time": "1 s"]))
        try client.send(bytes: [0x16, 3, 1])
        #expect(try client.remainingMessages() == [])
    }

    // MARK: Files

    @Test("a server with files that cannot be used does not start, and says why")
    func unusableFiles() throws {
        let other = try folder.make("other")
        let ended = try folder.makeEnded("old")
        let cases = [
            (pair.certificate, other.key, "does not belong to the first certificate"),
            (ended.certificate, ended.key, "the certificate ended at"),
            (folder.path + "/none.pem", pair.key, "No such file or directory"),
        ]
        for (certificate, key, message) in cases {
            let options = ["--tls-certificate": certificate, "--tls-key": key]
            let command = try LiveServer.command(options, in: .inMemory())
            for arguments in [[], ["--check-config"]] {
                let end = try Program(command + arguments).waitForExit()
                #expect(end.status == (arguments.isEmpty ? 1 : 2))
                #expect(end.errors.contains { $0.contains(message) }, "\(end.errors)")
            }
        }
    }

    @Test("--check-config prints the names and the end of the certificate")
    func checkConfiguration() throws {
        let options = ["--tls-certificate": pair.certificate, "--tls-key": pair.key]
        let command = try LiveServer.command(options, in: .inMemory())
        let end = try Program(command + ["--check-config"]).waitForExit()
        #expect(end.status == 0)
        #expect(end.output.contains("// The certificate is for localhost, 127.0.0.1."))
        #expect(end.output.contains { $0.contains(/in (89|90) days. Its SHA-256 is [0-9a-f]{64}\./) })
    }

    @Test("SIGHUP reloads the files; a fault keeps the earlier certificate")
    func reload() throws {
        let server = try server()
        let before = try LineClient(server, trusting: trust)
        try before.greet(as: "ann-client")
        let new = try folder.make("new")
        _ = try folder.write(folder.text(of: new.certificate), to: "server.pem")
        server.program.kill(SIGHUP)
        try server.waitForLog(
            #" error event=reload_failed fault="\#(pair.key): the private key does not belong to "#
                + #"the first certificate of \#(pair.certificate)""#)
        _ = try folder.write(folder.text(of: new.key), to: "server.key")
        server.program.kill(SIGHUP)
        try server.waitForLog(/event=tls_reloaded path=\S+server.pem days=\d+/)
        try LineClient(server, trusting: .file(new.certificate)).greet(as: "bob-client")
        try before.send(#"{"type":"ping","id":1}"#)
        try before.expect(#"{"type":"pong","id":1}"#)
    }

    @Test("a certificate that ends soon is reported at the start")
    func endsSoon() throws {
        let short = try folder.make("short", days: 5)
        let command = try LiveServer.command(
            ["--tls-certificate": short.certificate, "--tls-key": short.key], in: .inMemory())
        let program = try Program(command)
        while let line = try program.errors.next() {
            if line.contains(/warning event=tls_ends_soon path=\S+short.pem days=[45]$/) { return }
            if line.hasSuffix("event=ready") { break }
        }
        Issue.record("the server did not report the end")
    }

    // MARK: Other libraries

    @Test("openssl s_client speaks lines, in both versions", arguments: ["-tls1_2", "-tls1_3"])
    func opensslClient(version: String) throws {
        let server = try server()
        let client = try Program(
            [
                "openssl", "s_client", "-connect", "127.0.0.1:\(server.port)", "-servername", "localhost",
                "-verify_return_error", "-verify_hostname", "localhost", "-CAfile", pair.certificate,
                "-quiet",
                "-alpn", "caret/1", version,
            ], readsLines: true)
        try client.send(#"{"type":"hello","protocol":1,"client":"openssl-client"}"#)
        let line = try client.output.next()
        #expect(line?.hasPrefix(#"{"type":"welcome""#) == true, "\(line ?? "the end")")
    }

    @Test("openssl s_client is refused with an old version")
    func oldVersion() throws {
        let server = try server()
        let client = try Program(
            [
                "openssl", "s_client", "-connect", "127.0.0.1:\(server.port)", "-tls1_1", "-cipher",
                "ALL:@SECLEVEL=0",
            ],
            readsLines: true)
        let end = try client.waitForExit()
        #expect(end.status == 1)
        #expect(end.errors.contains { $0.contains("alert protocol version") }, "\(end.errors)")
    }

    @Test("Python's ssl speaks lines, HTTPS and WebSockets, and cuts records in pieces")
    func python() throws {
        let server = try server()
        let script = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .appending(path: "Fixtures/tls/ssl-peer.py")
        let end = try Program([
            "/usr/bin/python3", script.path, "\(server.port)", pair.certificate,
        ]).waitForExit()
        #expect(end.status == 0, "\(end.errors)")
    }
}

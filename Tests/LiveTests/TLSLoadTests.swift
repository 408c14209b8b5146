import CaretTLS
import Glibc
import TestSupport
import Testing

@Suite("TLS under load", .onOwnThread, .serialized) struct TLSLoadTests {
    private let folder: CertificateFolder
    private let options: [String: String]
    private let trust: TLSTrust

    init() throws {
        folder = try CertificateFolder()
        let pair = try folder.make("server")
        options = ["--tls-certificate": pair.certificate, "--tls-key": pair.key]
        trust = .file(pair.certificate)
    }

    @Test("over TLS, kill -9 neither loses nor repeats an acked push")
    func killed() throws {
        let group = EditorGroup(20, documents: 5, webSockets: 10)
        group.trust = trust
        var server = try LiveServer(options, in: .onDisk())
        for _ in 0..<Seeds.share(of: 20, everyCommit: 2) {
            let enough = group.acks + 100
            try group.connect(to: server)
            try group.work { $0.acks >= enough }
            try server.kill()
            try group.workUntilDisconnected()
            server = try server.startAgain()
            try HistoryComparison.onAll(of: group, at: server)
        }
        try group.connect(to: server)
        try group.waitForChanges()
        try HistoryComparison.onAll(of: group, at: server)
    }

    @Test("reloads of the certificate disturb no editor")
    func reloaded() throws {
        let group = EditorGroup(20, documents: 5)
        group.trust = trust
        let server = try LiveServer(options)
        try group.connect(to: server)
        for _ in 0..<20 {
            let enough = group.acks + 20
            try group.work { $0.acks >= enough }
            server.program.kill(SIGHUP)
            try server.waitForLog(/event=tls_reloaded/)
            // This handshake happens under load.
            try LineClient(server, trusting: trust).greet(as: "visitor-client")
        }
        #expect(group.connectedCount == 20)
        try group.waitForChanges()
        try HistoryComparison.onAll(of: group, at: server)
    }

    @Test("a slow reader over TLS gets the whole text in the end, and delays nobody")
    func slowReader() throws {
        let server = try LiveServer(options)
        let slow = try LineClient(server, trusting: trust)
        try slow.greet(as: "slow-client")
        try slow.send(#"{"type":"open","doc":"a","create":true,"id":1}"#)
        let opened = try #require(try slow.next())
        let epoch = try #require(opened.firstMatch(of: /"epoch":"([^"]+)"/)).1
        let writer = try LineClient(server, trusting: trust)
        try writer.greet(as: "writer-client")
        try writer.send(#"{"type":"open","doc":"a","id":1}"#)
        try writer.expect(#"{"type":"opened",…"#)
        let text = String(repeating: "x", count: 50_000)
        for number in 1...100 {
            let edits = #"[{"range":[0,\#(number == 1 ? 0 : 50_000)],"text":"\#(text)"}]"#
            try writer.send(
                #"{"type":"push","doc":"a","epoch":"\#(epoch)","base":\#(number - 1),"seq":\#(number),"edits":\#(edits)}"#
            )
            try writer.expect(#"{"type":"ack",…"rev":\#(number)…"#)
        }
        var revision = 0
        while revision < 100 {
            let line = try #require(try slow.next(), "the slow reader was disconnected at \(revision)")
            if let found = line.firstMatch(of: /"rev":(\d+)/) { revision = Int(found.1) ?? revision }
        }
        #expect(revision == 100)
    }
}

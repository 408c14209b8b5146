import Foundation
import Testing

@Suite("Addresses and the admin socket", .onOwnThread) struct ListenerKindTests {
    @Test("only the system user of the server can use the admin socket")
    func adminSocket() throws {
        let server = try LiveServer()
        let admin = try LineClient(server, at: .adminSocket)
        try admin.send(#"{"type":"hello","protocol":1,"client":"the-admin"}"#)
        try admin.expect(#"{"type":"welcome",…,"user":"admin","client":"p-…",…"#)
        try admin.send(#"{"type":"push","doc":"a","base":0,"seq":1,"text":"x","create":true}"#)
        try admin.expect(#"{"type":"ack","doc":"a","seq":1,…"rev":1,…"#)
        let client = try LineClient(server)
        try client.greet(as: "ann-client")
        try client.send(#"{"type":"history","doc":"a"}"#)
        try client.expect(#"{"type":"revisions","doc":"a","revisions":[{"rev":1,"user":"admin",…}]}"#)

        #expect(try permissions(of: server.socketPath) == 0o600)
        #expect(try permissions(of: server.dataPath) == 0o700)
        try client.endOutput()
        try admin.endOutput()
        #expect(try server.stop().status == 0)
        #expect(!FileManager.default.fileExists(atPath: server.socketPath))
    }

    @Test("a server replaces the socket file that a killed server has left")
    func socketLeft() throws {
        let server = try LiveServer()
        try server.kill()
        #expect(FileManager.default.fileExists(atPath: server.socketPath))
        let admin = try LineClient(server.startAgain(), at: .adminSocket)
        try admin.greet(as: "the-admin")
    }

    @Test("a second server on the same data exits, and the first keeps running")
    func secondServer() throws {
        let server = try LiveServer()
        let client = try LineClient(server)
        try client.greet(as: "ann-client")
        let second = try Program(LiveServer.command([:], in: server.scratch)).waitForExit()
        #expect(second.status == 1)
        #expect(
            second.errors.contains("caretd: \(server.dataPath): another server has locked the folder"),
            "\(second.errors)")
        try client.send(#"{"type":"push","doc":"a","base":0,"seq":1,"text":"x","create":true}"#)
        try client.expect(#"{"type":"ack","doc":"a","seq":1,…"rev":1,…"#)
        try LineClient(server, at: .adminSocket).greet(as: "the-admin")
    }

    @Test("a server exits if its port is in use, and frees the data folder")
    func portInUse() throws {
        let server = try LiveServer()
        let scratch = try Scratch.inMemory()
        let address = "127.0.0.1:\(server.port)"
        let second = try Program(LiveServer.command(["--listen": address], in: scratch)).waitForExit()
        #expect(second.status == 1)
        #expect(
            second.errors.contains { $0.hasSuffix("event=cannot_listen transport=tcp address=\(address)") })
        #expect(
            second.errors.contains(
                "caretd: \(address): another process listens there already; stop it, or choose another address"
            ),
            "\(second.errors)")
        try LineClient(LiveServer(in: scratch)).greet(as: "ann-client")
    }

    @Test("a server does not replace a file at its socket's path, and names it")
    func notASocket() throws {
        let scratch = try Scratch.inMemory()
        let path = scratch.path + "/data/caretd.sock"
        try FileManager.default.createDirectory(
            atPath: scratch.path + "/data", withIntermediateDirectories: true)
        try Data("kept".utf8).write(to: URL(filePath: path))
        let program = try Program(LiveServer.command([:], in: scratch)).waitForExit()
        #expect(program.status == 1)
        #expect(
            program.errors.contains(
                "caretd: \(path): this file is not a socket; move it away, or choose another path"),
            "\(program.errors)")
        #expect(try String(contentsOfFile: path, encoding: .utf8) == "kept")
    }

    @Test("a server can listen at several addresses and have no admin socket")
    func addresses() throws {
        let scratch = try Scratch.inMemory()
        let server = try LiveServer(
            ["--listen": "127.0.0.1:0,127.0.0.2:0", "--admin-socket": "false"], in: scratch)
        try LineClient(server).greet(as: "ann-client")
        #expect(!FileManager.default.fileExists(atPath: server.socketPath))
    }

    private func permissions(of path: String) throws -> Int? {
        try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
    }
}

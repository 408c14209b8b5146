import CaretClient
import Foundation
import Testing

@Suite("The list of servers", .serialized) struct NodesCommandTests {
    /// Runs a command at a server that lists itself and `others`, which are JSON.
    private func run(_ words: [String], listing others: [String]) throws -> Run {
        let session = try CommandSession(nil)
        let server = try fake(in: session, listing: others)
        return try withExtendedLifetime(server) { try session.caret(words + ["--socket", $0.path]) }
    }

    private func fake(in session: CommandSession, listing others: [String]) throws -> FakeServer {
        let own = NodesCommandTests.node("a", at: "127.0.0.1:7", silent: 0, #","answering":true"#)
        return try FakeServer(
            in: session,
            [
                "list_nodes": #""type":"nodes","nodes":[\#(([own] + others).joined(separator: ","))]"#,
                "who":
                    #""type":"present","connections":[{"number":7,"user":"ann","client":"p-1","peer":"192.0.2.1:7","since":0,"docs":["plan"]}]"#,
            ])
    }

    private static func node(
        _ name: String, at address: String?, silent: Int, _ more: String = ""
    ) -> String {
        let address = address.map { #""address":"\#($0)","# } ?? ""
        return
            #"{"name":"\#(name)",\#(address)"version":"caret/1","since":0,"silent_ms":\#(silent),"connections":2,"documents":3\#(more)}"#
    }

    @Test("`nodes` lists a server that is the only one")
    func alone() throws {
        let session = try CommandSession()
        try session.expect(
            """
            $ nodes --json
            {"name":"…","address":"127.0.0.1:…","version":"caret/…","since":"…Z","silent_ms":0,"connections":1,"documents":0,"answering":true}
            """)
    }

    @Test("`nodes` lists all servers, and its exit code shows that one is silent")
    func silent() throws {
        for (silence, status) in [(10_000, Int32(0)), (10_001, 4)] {
            let other = NodesCommandTests.node("b", at: nil, silent: silence)
            let found = try run(["nodes"], listing: [other])
            let lines = [
                "a*\t127.0.0.1:7\tcaret/1\t1970-01-01T00:00:00.000Z\t0.0 s\t2\t3",
                "b\t\tcaret/1\t1970-01-01T00:00:00.000Z\t10.0 s\t2\t3",
            ]
            #expect(found.status == status && found.output == lines.map { $0 + "\n" }.joined(), "\(found)")
        }
    }

    @Test("`who --all` asks every server, and says which one it could not ask")
    func allConnections() throws {
        let session = try CommandSession()
        let here = NodesCommandTests.node("b", at: session.socket.description, silent: 0)
        let nowhere = NodesCommandTests.node("c", at: session.folder.path + "/missing", silent: 0)
        let unknown = NodesCommandTests.node("d", at: nil, silent: 0)
        let whole = try run(["who", "--all"], listing: [here])
        let lines = whole.output.split(separator: "\n").map(String.init)
        #expect(whole.status == 0 && lines.count == 2, "\(whole)")
        #expect(lines.first == "a\t7\tann\tp-1\t192.0.2.1:7\t1970-01-01T00:00:00.000Z\tplan")
        #expect(lines.last?.hasPrefix("b\t") == true && lines.last?.contains("\tadmin\t") == true)
        let partly = try run(["who", "--all", "--json"], listing: [here, nowhere, unknown])
        #expect(partly.status == 3 && partly.output.split(separator: "\n").count == 2, "\(partly)")
        #expect(partly.output.contains(#""user":"admin""#) && partly.output.contains(#""node":"b""#))
        for problem in [#"{"error":"c: "#, #"{"error":"d: it has no address""#] {
            #expect(partly.errors.contains(problem), "\(partly)")
        }
    }
}

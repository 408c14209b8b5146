import CaretClient
import CaretCore
import TestSupport
import Testing

@Suite("`caret demo`") struct DemoTests {
    @Test("two people type while somebody else has a caret in the document", .timeLimit(.minutes(1)))
    func typing() async throws {
        let session = try CommandSession()
        let text = "Milk\nBread\n"
        #expect(try session.caret(["put", "list", "--create"], input: text).status == 0)
        let address = session.address
        async let demo = onOwnThread {
            try Run(ChildProgram.path(of: "caret"), ["demo", "list"], environment: ["CARET_SERVER": address])
        }
        let client = LiveClient(session.socket)
        defer { client.close() }
        let open = try await client.open("list").opened()
        let updates = open.updates
        try open.select([Selection(caret: 0)])
        var names: [String] = []
        for await _ in updates {
            names = open.peers.compactMap(\.person?.name).sorted()
            if names.count == 2, open.text.string != text { break }
        }
        #expect(names == ["Mia", "Noah"])
        try await client.delete("list")
        let run = try await demo
        #expect(run.status == 1)
        #expect(run.errors == "caret: list: it was deleted, or you may no longer read it\n")
    }
}

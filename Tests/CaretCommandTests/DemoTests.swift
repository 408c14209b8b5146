import CaretClient
import CaretCore
import Foundation
import TestSupport
import Testing

@Suite("`caret demo`") struct DemoTests {
    @Test("two people type, also for somebody who only watches")
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
        let open = try await client.open("list", mode: .watch).opened()
        let updates = open.updates
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

    @Test("the two do not type into the words of somebody who types")
    func ownWords() async throws {
        let session = try CommandSession()
        // The two have lines of their own, if they want.
        let text = "Milk\nEggs\nTea\nOats\nBread"
        #expect(try session.caret(["put", "list", "--create"], input: text).status == 0)
        let address = session.address
        let client = LiveClient(session.socket)
        defer { client.close() }
        let open = try await client.open("list").opened()
        let updates = open.updates
        try open.select([Selection(caret: open.text.end)])
        try await waitForCaret(on: session)
        async let demo = onOwnThread {
            try Run(ChildProgram.path(of: "caret"), ["demo", "list"], environment: ["CARET_SERVER": address])
        }
        var (typed, carets) = ("Bread", [[Selection]]())
        for await _ in updates {
            if open.peers.map(\.selections) == carets { continue }
            // One letter whenever one of the two moves, and as a person does: the caret moves on.
            let letter = typed.count % 10 == 0 ? " " : "o"
            var caret = Offset(0)
            try open.edit { text in
                let word = try #require(text.string.range(of: typed), "\(text.string)")
                caret = Offset(text.string.utf16.distance(from: text.string.startIndex, to: word.upperBound))
                return [try Edit(caret..<caret, letter)]
            }
            try open.select([Selection(caret: caret + 1)])
            typed += letter
            carets = open.peers.map(\.selections)
            if typed.count == 80 { break }
        }
        #expect(open.text.string.contains(typed), "\(open.text.string)")
        try await client.delete("list")
        _ = try await demo
    }

    /// Waits until another client sees a caret, so that the demo knows it from its start.
    private func waitForCaret(on session: CommandSession) async throws {
        let client = LiveClient(session.socket)
        defer { client.close() }
        let open = try await client.open("list", mode: .watch).opened()
        let updates = open.updates
        func seesCaret() -> Bool { open.peers.contains { !$0.selections.isEmpty } }
        if seesCaret() { return }
        for await _ in updates where seesCaret() { break }
    }
}

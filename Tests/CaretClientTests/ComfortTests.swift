import CaretClient
import CaretCore
import Foundation
import TestSupport
import Testing

@Suite("Comforts for apps: snapshots, short edits and tokens") struct ComfortTests {
    @Test("the first snapshot comes at once, and later ones follow changes")
    func snapshots() async throws {
        let server = try ServerProcess()
        let document = try await LiveClient(server.address).open("a", creating: true).opened()
        try document.append("one\r\n")
        try document.insert("0\n", at: 0)
        try await document.saved()
        var snapshots = document.snapshots.makeAsyncIterator()
        let first = try #require(await snapshots.next())
        #expect(first.text.string == "0\none\n" && first.name == "a" && first.peers.isEmpty)
        let other = try await LiveClient(server.address).open("a").opened()
        try other.append("two\n")
        // Others learn of a session when it selects something.
        try other.select([Selection(caret: 0)])
        while let next = await snapshots.next() {
            if next.text.string == "0\none\ntwo\n" && next.peers.count == 1 { break }
        }
        #expect(document.text.string == "0\none\ntwo\n")
        document.close()
        while await snapshots.next() != nil {}
        var afterwards = document.snapshots.makeAsyncIterator()
        #expect(await afterwards.next() == nil)
    }

    @Test("an app makes a token for a user and revokes it")
    func tokens() async throws {
        let server = try ServerProcess(["--require-tokens=true"])
        let admin = LiveClient(server.socket)
        try await admin.push("text\n", to: "ann/notes", creating: true)
        try await admin.push("secret\n", to: "bob/notes", creating: true)
        let end = Date(timeIntervalSinceNow: 3_600)
        let grants = [AccessGrant(.write, .prefix("ann/")), .read("welcome")]
        let token = try await admin.makeToken(for: "ann", grants, until: end)
        let found = try await admin.tokens()
        let info = try #require(found.tokens.first { $0.number == token.number })
        #expect(info.user == "ann" && info.grants == grants && !found.hasMore && info.lastUse == nil)
        #expect(abs(try #require(info.end).timeIntervalSince(end)) < 1)

        let ann = LiveClient(server.address, ClientOptions(token: token.text))
        let document = try await ann.open("ann/notes").opened()
        try document.append("more\n")
        try await document.saved()
        await #expect(throws: ServerRefusal.self) { try await ann.read("bob/notes") }
        try await admin.revokeToken(token.number)
        for await status in ann.connectionUpdates where status.state == .ended {
            #expect(status.lastError == .revoked)
        }
        await #expect(throws: ConnectionFault.revoked) { try await ann.read("ann/notes") }
        await #expect(throws: ServerRefusal.self) { try await admin.revokeToken(token.number) }
    }

    @Test("a program that opens a document at a wrong address is told why nothing comes")
    func wrongAddress() throws {
        let path = "/nonexistent/caretd.sock"
        let program = try ChildProgram(
            [ChildProgram.path(of: "terminal-notes"), path, "a"], input: .pipe, output: .nothing,
            errors: .pipe)
        let said = String(decoding: ChildProgram.nextBytes(program.errors), as: UTF8.self)
        #expect(said.hasPrefix("CaretClient: There is no connection to \(path): "), "\(said)")
        #expect(
            said.hasSuffix("Check the address, and that the server runs. The client tries again.\n"),
            "\(said)")
    }

    @Test("a program is told once why it is not connected, and only if nothing else tells it")
    func warnings() {
        let waiting = ConnectionStatus(
            state: .waiting, lastError: .unreachable(.unix(path: "/a"), reason: "it is gone"))
        let refused = ConnectionStatus(state: .ended, lastError: .revoked)
        var fault = UnseenFault()
        #expect(
            fault.warning(about: ConnectionStatus(state: .connecting, lastError: nil), isAwaited: false)
                == nil)
        // A caller that waits for a connection waits as long as it takes.
        #expect(
            fault.warning(about: waiting, isAwaited: true)
                == "CaretClient: There is no connection to /a: it is gone. "
                + "Check the address, and that the server runs. The client tries again.")
        #expect(fault.warning(about: waiting, isAwaited: true) == nil)
        #expect(fault.warning(about: refused, isAwaited: false) == nil)

        fault = UnseenFault()
        let closed = ConnectionStatus(state: .ended, lastError: .closed)
        #expect(fault.warning(about: refused, isAwaited: true) == nil)
        #expect(fault.warning(about: closed, isAwaited: false) == nil)
        #expect(
            fault.warning(about: refused, isAwaited: false)
                == "CaretClient: The access token of this program was revoked or has ended.")

        fault = UnseenFault()
        let connected = ConnectionStatus(state: .connected, lastError: nil)
        #expect(fault.warning(about: connected, isAwaited: false) == nil)
        #expect(fault.warning(about: waiting, isAwaited: false) == nil)

        fault = UnseenFault()
        fault.settle()
        #expect(fault.warning(about: waiting, isAwaited: false) == nil)
    }

    @Test("the example for terminals adds lines to a document, and shows it")
    func terminal() async throws {
        let server = try ServerProcess()
        let client = LiveClient(server.address)
        try await client.push("one\n", to: "a", creating: true)
        let program = try ChildProgram(
            [ChildProgram.path(of: "terminal-notes"), server.address.description, "a"], input: .pipe,
            output: .pipe)
        try program.write("two\n")
        program.endInput()
        let shown = program.remainingOutput()
        #expect(program.waitForEnd() == 0 && shown.contains("-- a, "))
        #expect(try await client.read("a").text == "one\ntwo\n")
    }
}

import CaretClient
import Foundation
import Testing

/// The code of the guide, in the same order. This file does not import `CaretCore`, because an app does not
/// need to import it.
@Suite("The code in the Swift guide and in the README") struct GuideTests {
    final class Field: TextInput {
        var inputText = ""
        var inputSelection = 0..<0
    }

    private func tcp(_ address: ServerAddress) -> (host: String, port: UInt16)? {
        if case .tcp(let host, let port) = address { (host, port) } else { nil }
    }

    @Test("the code of the guide works, also a second time")
    func guide() async throws {
        let server = try ServerProcess()
        for _ in 1...2 { try await guide(on: server) }
    }

    private func guide(on server: ServerProcess) async throws {
        let (host, port) = try #require(tcp(server.address))
        let client = LiveClient(
            .tcp(host: host, port: port),
            ClientOptions(person: PersonInfo(name: "Ann", color: "#c33")))
        try await client.connected()
        let signedIn = LiveClient(
            .tcp(host: host, port: port),
            ClientOptions(fetchToken: { try String(contentsOfFile: "token", encoding: .utf8) }, user: "ann"))
        signedIn.close()
        let either = LiveClient(
            servers: [.tcp(host: host, port: port), .tcp(host: "localhost", port: port)])
        try await either.connected()
        for await status in client.connectionUpdates {
            print(status.state, status.lastError?.errorDescription ?? "")
            if status.state == .connected { break }
        }
        try await sendRequests(client)
        let document = try await edit(client)
        try await keep(host, port)
        try await observe(client)
        try view(document)
        try await administer(server)
    }

    @Test("the code for notes works")
    func notes() async throws {
        let server = try ServerProcess()
        let client = LiveClient(server.socket)
        try await client.push("Milk\n", to: "lists/shopping", creating: true)
        let list = try await client.read("lists/shopping")
        try await client.addNote("Oat milk?", to: "lists/shopping", on: 0..<4, at: list.revision)
        let sugar = try Change([Edit(0..<0, "Sugar\n")])
        try await client.suggest(sugar, in: "lists/shopping", at: list.revision)
        for note in try await client.notes(of: "lists/shopping").notes {
            print(note.number, note.quote, note.text, note.user, note.state)
        }
        #expect(try await client.notes(of: "lists/shopping").notes.map(\.quote) == ["Milk", ""])
    }

    @Test("the code for links works")
    func links() async throws {
        let server = try ServerProcess(["--require-tokens", "--share-links"])
        let client = LiveClient(server.socket)
        try await client.push("Milk\n", to: "lists/shopping", creating: true)
        let link = try await client.makeLink(to: "lists/shopping", .read, seconds: 7 * 86_400)
        print(link.text)
        let guest = LiveClient(server.address, ClientOptions(token: link.text))
        #expect(try await guest.read("lists/shopping").text == "Milk\n")
        #expect(try await client.links(to: "lists/shopping").links.map(\.number) == [link.number])
        try await client.endLink(link.number, to: "lists/shopping")
        #expect(try await client.links(to: "lists/shopping").links.isEmpty)
    }

    @Test("the code of the README works")
    func readme() async throws {
        let server = try ServerProcess()
        guard case .tcp(let host, let port) = server.address else {
            Issue.record("\(server.address) is not a TCP address")
            return
        }
        let client = LiveClient(.tcp(host: host, port: port))
        try await client.push("Milk\n", to: "welcome", creating: true)
        try await watch(client)
    }

    private func watch(_ client: LiveClient) async throws {
        let document = try await client.open("welcome").opened()
        document.close()
        for await update in document.updates { print(update) }
    }

    private func sendRequests(_ client: LiveClient) async throws {
        let known =
            try await client.list(prefix: "lists/shopping").documents.isEmpty
            ? nil : client.read("lists/shopping")
        try await client.push("Milk\nBread\n", to: "lists/shopping", since: known, creating: true)
        let read = try await client.read("lists/shopping")
        try await client.push(read.text + "Tea\n", to: read.name, since: read)
        for entry in try await client.list(prefix: "lists/").documents {
            print(entry.name, entry.revision.value, entry.updated)
        }
        let before = try await client.read("lists/shopping", at: .revision(1))
        print(before.text)
        for lines in try await client.blame("lists/shopping").ranges {
            print(lines.first, lines.count, lines.revision.value, lines.author?.user ?? "")
        }
        #expect(before.text == "Milk\nBread\n")
        do {
            _ = try await client.read("lists/nothing")
        } catch let refusal as ServerRefusal where refusal.word == "not_found" {
            print("there is no such list")
        }
    }

    private func administer(_ server: ServerProcess) async throws {
        let admin = LiveClient(server.socket)
        for connection in try await admin.connections().connections {
            print(connection.user, connection.since, connection.documents)
        }
        print(try await admin.counters().latencies.map { ($0.name, $0.median) })
        let backup = try await admin.backUp { print($0.done, "of", $0.all, "pages") }
        print(backup.file, try await admin.verify().isSound)
        let grants = [AccessGrant(.write, .prefix("ann/")), .read("welcome")]
        let token = try await admin.makeToken(for: "ann", grants, until: .now + 86_400)
        print(token.text)
        try await admin.revokeToken(token.number)
    }

    private func edit(_ client: LiveClient) async throws -> LiveDocument {
        let document = try await client.open("lists/shopping", creating: true).opened()
        try document.edit { text in [try Edit(text.end..<text.end, "Salt\n")] }
        try document.setText("Milk\nBread\nTea\nSalt\nPepper\n")
        try document.insert("Eggs\n", at: 0)
        try document.append("Rice\n")
        try await document.saved()
        for await snapshot in document.snapshots {
            print(snapshot.text.string, snapshot.state, snapshot.peers.count)
            if snapshot.state == .saved { break }
        }
        let reading = Task {
            for await update in document.updates {
                switch update {
                case .edited(let change, let selections):
                    print("others changed", change, "carets are at", selections)
                case .peers(let peers): print(peers.map { $0.person?.name ?? $0.user })
                case .state(let state): print("now", state)
                case .renamed(let name): print("now called", name)
                case .notKept(let fault): print(fault)
                case .kept: print("unsaved edits are kept again")
                }
            }
        }
        try document.select([Selection(caret: 5)])
        try await client.rename("lists/shopping", to: "lists/food")
        try await client.rename("lists/food", to: "lists/shopping")
        do {
            try await document.saved()
        } catch let refused as RefusedEdits {
            print(refused, refused.text.string, refused.difference)
            document.retry()
            document.discard()
        }
        reading.cancel()
        await reading.value
        return document
    }

    private func keep(_ host: String, _ port: UInt16) async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "caret-\(UUID().uuidString)").path
        // If the removal fails, the folder stays in the system's temporary folder. This harms no test.
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let lasting = try LiveClient(
            .tcp(host: host, port: port), keepingUnsavedIn: folder)
        for name in lasting.unsavedDocuments { try await lasting.open(name).saved() }
        let diary = lasting.open("diary", creating: true)
        try diary.replace(0..<0, with: "Rain.\n")
        try await diary.kept()
    }

    @MainActor private func observe(_ client: LiveClient) async throws {
        let observed = ObservableDocument(client, "lists/shopping")
        try await observed.live.opened()
        observed.text += "Oil\n"
        try await observed.live.saved()
        #expect(try await client.read("lists/shopping").text.hasSuffix("Oil\n"))
    }

    private func view(_ document: LiveDocument) throws {
        let field = Field()
        field.reload("Milk\nBread\nTea\n")
        #expect(field.inputText == "Milk\nBread\nTea\n")
        let binding = document.binding()
        binding.begin(field)
        try binding.update(field)
        #expect(field.inputText == document.text.string)
    }
}

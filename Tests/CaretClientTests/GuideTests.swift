import CaretClient
import CaretCore
import Foundation
import Testing

/// The code of the guide, in its order, as it is compiled and run.
@Suite("Guide") struct GuideTests {
    final class Field: TextInput {
        var inputText = ""
        var inputSelection = 0..<0
    }

    private func tcp(_ address: ServerAddress) -> (host: String, port: UInt16)? {
        if case .tcp(let host, let port) = address { (host, port) } else { nil }
    }

    @Test("what the guide shows does what it says")
    func guide() async throws {
        let server = try ServerProcess()
        let (host, port) = try #require(tcp(server.address))
        let client = LiveClient(
            .tcp(host: host, port: port), ClientOptions(person: PersonInfo(name: "Ann", color: "#c33")))
        try await client.connected()
        for await status in client.connectionUpdates {
            print(status.state, status.lastError?.errorDescription ?? "")
            if status.state == .connected { break }
        }
        try await ask(client)
        try await administer(LiveClient(server.socket))
        try await open(client)
        try await keep(host, port)
        try await view(client)
    }

    @Test("what the README shows does what it says")
    func readme() async throws {
        let server = try ServerProcess()
        guard case .tcp(let host, let port) = server.address else {
            Issue.record("\(server.address) is no port")
            return
        }
        let client = LiveClient(.tcp(host: host, port: port))
        try await client.push("Milk\n", to: "agenda", creating: true)
        try await watch(client)
    }

    private func watch(_ client: LiveClient) async throws {
        let document = try await client.open("agenda").opened()
        document.close()
        for await update in document.updates {
            print(update)
        }
    }

    private func ask(_ client: LiveClient) async throws {
        try await client.push("Milk\nBread\n", to: "lists/shopping", creating: true)
        let read = try await client.read("lists/shopping")
        try await client.push(read.text + "Tea\n", to: read.name, since: read)
        for entry in try await client.list(prefix: "lists/").documents {
            print(entry.name, entry.revision.value, entry.updated)
        }
        let before = try await client.read("lists/shopping", at: .revision(1))
        #expect(before.text == "Milk\nBread\n")
        do {
            _ = try await client.read("lists/nothing")
        } catch let refusal as ServerRefusal where refusal.word == "not_found" {
            print("there is no such list")
        }
    }

    private func administer(_ admin: LiveClient) async throws {
        for connection in try await admin.connections().connections {
            print(connection.user, connection.since, connection.documents)
        }
        print(try await admin.counters().latencies.map { ($0.name, $0.median) })
        for old in try await admin.deletedDocuments(prefix: "lists/").documents {
            try await admin.undelete(old.number)
        }
        let backup = try await admin.backUp { print($0.done, "of", $0.all, "pages") }
        print(backup.file, try await admin.verify().isSound)
    }

    private func open(_ client: LiveClient) async throws {
        let document = try await client.open("lists/shopping", creating: true).opened()
        try document.edit { text in [try Edit(text.end..<text.end, "Salt\n")] }
        try document.setText("Milk\nBread\nTea\nSalt\nPepper\n")
        try await document.saved()
        let reading = Task { try await read(document) }
        try await client.rename("lists/shopping", to: "lists/food")
        try await document.saved()
        document.close()
        try await reading.value
    }

    private func read(_ document: LiveDocument) async throws {
        try document.select([Selection(caret: 5)])
        for await update in document.updates {
            switch update {
            case .edited(let change, let selections):
                print("others changed", change, "carets are at", selections)
            case .peers(let peers): print(peers.map { $0.person?.name ?? $0.user })
            case .state(let state): print("now", state)
            case .renamed(let name): print("now called", name)
            case .notKept(let fault): print(fault)
            }
        }
        do {
            try await document.saved()
        } catch let refused as RefusedEdits {
            print(refused, refused.text.string, refused.difference)
            document.retry()
            document.discard()
        } catch ConnectionFault.closed {
            print("the document is closed")
        }
    }

    private func keep(_ host: String, _ port: UInt16) async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "caret-\(UUID().uuidString)").path
        // What cannot be removed lies in the system's folder for such things, and harms no test.
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let lasting = try LiveClient(.tcp(host: host, port: port), keepingUnsavedIn: folder)
        for name in lasting.unsavedDocuments { try await lasting.open(name).saved() }
        let diary = lasting.open("diary", creating: true)
        try diary.replace(0..<0, with: "Rain.\n")
        try await diary.kept()
    }

    private func view(_ client: LiveClient) async throws {
        let field = Field()
        field.reload("Milk\nBread\nTea\n")
        #expect(field.inputText == "Milk\nBread\nTea\n")
        let document = try await client.open("lists/food").opened()
        let binding = document.binding()
        binding.begin(field)
        try binding.update(field)
        #expect(field.inputText == document.text.string)
    }
}

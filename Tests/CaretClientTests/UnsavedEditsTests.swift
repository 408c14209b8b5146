import CaretClient
import CaretCore
import CaretReplica
import CaretWire
import Foundation
import Testing

@Suite("Keeping") struct KeepingTests {
    private let folder = FileManager.default.temporaryDirectory.appending(path: "caret-\(UUID().uuidString)")

    @Test("what is typed while no server is there outlives its client, and is saved once by the next")
    func offline() async throws {
        defer { remove() }
        let server = try ServerProcess()
        var client: CaretClient? = try CaretClient(server.address, keepingUnsavedIn: folder.path)
        var document = try await client?.open("notes", creating: true).opened()
        try document?.setText("saved ")
        try await document?.saved()
        server.kill()
        try document?.replace(6..<6, with: "and unsaved")
        try await kept(contains: "and unsaved")
        (document, client) = (nil, nil)
        try server.start()
        let next = try await eventually { try CaretClient(server.address, keepingUnsavedIn: folder.path) }
        #expect(next.unsavedDocuments == ["notes"])
        let found = next.open("notes")
        #expect(found.text.string == "saved and unsaved")
        try await found.saved()
        #expect(try await next.read("notes").text == "saved and unsaved")
        #expect(try await next.history(of: "notes").entries.count == 2)
        try await eventually { if try !files().isEmpty { throw NotYet() } }
    }

    @Test("a document with kept edits opens at once while no server is there, and goes on when it is back")
    func opensOffline() async throws {
        defer { remove() }
        let server = try ServerProcess()
        do {
            let client = try CaretClient(server.address, keepingUnsavedIn: folder.path)
            let document = try await client.open("notes", creating: true).opened()
            try document.setText("saved ")
            try await document.saved()
            server.kill()
            try document.replace(6..<6, with: "and unsaved")
            try await document.kept()
            // It was never on the server.
            let other = client.open("new", creating: true)
            #expect(other.state == .opening)
            try other.replace(0..<0, with: "made offline")
            try await other.kept()
        }
        let client = try await eventually { try CaretClient(server.address, keepingUnsavedIn: folder.path) }
        #expect(client.unsavedDocuments == ["new", "notes"])
        let (document, other) = (client.open("notes"), client.open("new"))
        #expect(document.state == .offline && document.text.string == "saved and unsaved")
        #expect(other.state == .offline && other.text.string == "made offline")
        try await document.opened()
        try document.replace(0..<0, with: "still ")
        try await document.kept()
        var updates = client.connectionUpdates.makeAsyncIterator()
        while let status = await updates.next(), status.state != .waiting {}
        guard case .unreachable(server.address, _)? = client.lastError else {
            Issue.record("\(String(describing: client.lastError))")
            return
        }
        try server.start()
        try await document.saved()
        try await other.saved()
        #expect(client.connectionState == .connected && client.lastError == nil)
        #expect(try await client.read("notes").text == "still saved and unsaved")
        #expect(try await client.read("new").text == "made offline")
        #expect(try await client.history(of: "notes").entries.count <= 3)
    }

    @Test("what was sent when the process ended is sent again word for word, and is not doubled")
    func inFlight() async throws {
        defer { remove() }
        let server = try ServerProcess()
        let other = CaretClient(server.address)
        try await other.push("ab", to: "notes", creating: true)
        var keeping: KeepingFolder? = try KeepingFolder(folder.path)
        let id = try keeping?.clientID(orElse: "somebody-1") ?? ""
        // As a process leaves it that was killed between the commit and the ack.
        let epoch = try await other.read("notes").epoch
        let change = try Change([Edit(1..<1, "X")])
        let place = WirePosition(epoch: WireString(epoch), revision: 1)
        let keepsake = Keepsake(
            place: place, committed: try Text("ab"), push: SentPush(place: place, seq: 1, change: change),
            inFlight: change, unsent: try Change([Edit(3..<3, "Y")]), nextSeq: 2)
        try keeping?.keep(KeptDocument(keepsake, of: "notes", creates: false), as: 7)
        keeping = nil
        do {
            let killed = CaretClient(server.address, ClientOptions(client: id))
            let document = try await killed.open("notes").opened()
            try document.replace(1..<1, with: "X")
            try await document.saved()
        }
        let next = try CaretClient(server.address, keepingUnsavedIn: folder.path)
        let document = try await next.open("notes").opened()
        try await document.saved()
        #expect(document.text.string == "aXbY")
        #expect(try await other.read("notes").text == "aXbY")
    }

    @Test("a folder is one client's at a time, and what lies in it is that or nothing")
    func lock() throws {
        defer { remove() }
        let keeping = try KeepingFolder(folder.path)
        #expect(throws: KeepingFault.self) { try KeepingFolder(folder.path) }
        try withExtendedLifetime(keeping) {
            #expect(try keeping.clientID(orElse: "somebody-1") == "somebody-1")
            #expect(try keeping.clientID(orElse: "somebody-2") == "somebody-1")
            try Data("{".utf8).write(to: folder.appending(path: "1.edits.new"))
            #expect(try keeping.replicas().isEmpty)
            try Data("{".utf8).write(to: folder.appending(path: "1.edits"))
            #expect(throws: KeepingFault.self) { try keeping.replicas() }
        }
    }

    @Test(
        "an id that is damaged is reported, and not sent to the server in another form",
        arguments: ["\u{FF}", ""])
    func damagedID(text: String) throws {
        defer { remove() }
        let keeping = try KeepingFolder(folder.path)
        // Each scalar becomes one byte, and 0xFF is never a byte of UTF-8.
        try Data(text.unicodeScalars.map { UInt8($0.value) }).write(to: folder.appending(path: "client"))
        let fault = #expect(throws: KeepingFault.self) { try keeping.clientID(orElse: "somebody-1") }
        #expect(fault?.description.hasPrefix("\(folder.path)/client: could not understand") == true)
    }

    @Test("two files with edits of one document are saved one after the other")
    func sameDocument() async throws {
        defer { remove() }
        let server = try ServerProcess()
        let other = CaretClient(server.address)
        try await other.push("ab", to: "notes", creating: true)
        let place = WirePosition(epoch: WireString(try await other.read("notes").epoch), revision: 1)
        do {
            let keeping = try KeepingFolder(folder.path)
            for (number, word) in [(12, "second "), (3, "first "), (20, "third ")] {
                let keepsake = Keepsake(
                    place: place, committed: try Text("ab"), push: nil, inFlight: Change(),
                    unsent: try Change([Edit(0..<0, word)]), nextSeq: 1)
                try keeping.keep(KeptDocument(keepsake, of: "notes", creates: false), as: number)
            }
        }
        let client = try CaretClient(server.address, keepingUnsavedIn: folder.path)
        for words in ["first ", "first second ", "first second third "] {
            #expect(client.unsavedDocuments == ["notes"])
            let document = client.open("notes")
            try await document.saved()
            #expect(document.text.string == words + "ab")
            document.close()
        }
        #expect(client.unsavedDocuments.isEmpty)
        try await eventually { if try !files().isEmpty { throw NotYet() } }
    }

    @Test("a document that now has the name of another one is kept beside it when it is closed")
    func closedUnderNameOfAnother() throws {
        var replica = Replica()
        _ = try replica.typed(Change([Edit(0..<0, "kept")]))
        let kept = KeptReplica(key: DocumentKey(value: 1), name: "old", replica: replica, creates: false)
        var talk = ClientTalk.welcomed(kept: [kept])
        let key = talk.open("ab")
        _ = try talk.type("x", in: key)
        _ = talk.hear(.gone(Gone(document: "notes", epoch: "e", reason: .renamed, to: "old")))
        _ = talk.close(key)
        let keys = [talk.open(named: "old").key, talk.open(named: "old").key]
        #expect(keys.map { talk.state.documents[$0]?.replica.text.string } == ["kept", "xab"])
    }

    private struct NotYet: Error {}

    private func files() throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: folder.path).filter { $0.hasSuffix(".edits") }
    }

    private func kept(contains text: String) async throws {
        try await eventually {
            guard let file = try files().first else { throw NotYet() }
            let bytes = try Data(contentsOf: folder.appending(path: file))
            if !String(decoding: bytes, as: UTF8.self).contains(text) { throw NotYet() }
        }
    }

    /// The same, tried until it does not throw: what a client does at its end it does on its own queue.
    private func eventually<Answer>(_ body: () throws -> Answer) async throws -> Answer {
        for _ in 0..<100_000 {
            if let answer = try? body() { return answer }
            await Task.yield()
        }
        return try body()
    }

    private func remove() {
        // What cannot be removed lies in the system's folder for such things, and harms no test.
        try? FileManager.default.removeItem(at: folder)
    }
}

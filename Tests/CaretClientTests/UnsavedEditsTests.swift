import CaretClient
import CaretCore
import CaretReplica
import CaretWire
import Foundation
import Testing

@Suite("Unsaved edits that a client keeps on disk") struct UnsavedEditsTests {
    private let folder = FileManager.default.temporaryDirectory.appending(path: "caret-\(UUID().uuidString)")

    @Test("the next client saves a closed client's offline edits exactly once")
    func offline() async throws {
        defer { remove() }
        let server = try ServerProcess()
        var client: LiveClient? = try LiveClient(server.address, keepingUnsavedIn: folder.path)
        var document = try await client?.open("notes", creating: true).opened()
        try document?.setText("saved ")
        try await document?.saved()
        server.kill()
        try document?.replace(6..<6, with: "and unsaved")
        try await kept(contains: "and unsaved")
        (document, client) = (nil, nil)
        try server.start()
        let next = try await eventually { try LiveClient(server.address, keepingUnsavedIn: folder.path) }
        #expect(next.unsavedDocuments == ["notes"])
        let found = next.open("notes")
        #expect(found.text.string == "saved and unsaved")
        try await found.saved()
        #expect(try await next.read("notes").text == "saved and unsaved")
        #expect(try await next.history(of: "notes").entries.count == 2)
        try await eventually { if try !files().isEmpty { throw NotYet() } }
    }

    @Test("a document with kept edits opens at once without a server")
    func opensOffline() async throws {
        defer { remove() }
        let server = try ServerProcess()
        do {
            let client = try LiveClient(server.address, keepingUnsavedIn: folder.path)
            let document = try await client.open("notes", creating: true).opened()
            try document.setText("saved ")
            try await document.saved()
            server.kill()
            try document.replace(6..<6, with: "and unsaved")
            try await document.kept()
            // This document was never on the server.
            let other = client.open("new", creating: true)
            #expect(other.state == .opening)
            try other.replace(0..<0, with: "made offline")
            try await other.kept()
        }
        let client = try await eventually { try LiveClient(server.address, keepingUnsavedIn: folder.path) }
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

    @Test("a push in flight when the process ends is resent and committed once")
    func inFlight() async throws {
        defer { remove() }
        let server = try ServerProcess()
        let other = LiveClient(server.address)
        try await other.push("ab", to: "notes", creating: true)
        var keeping: UnsavedEditsFolder? = try UnsavedEditsFolder(folder.path)
        let id = try keeping?.clientID(orElse: "somebody-1") ?? ""
        // The folder as it is after a process was killed between the commit and the ack.
        let epoch = try await other.read("notes").epoch
        let change = try Change([Edit(1..<1, "X")])
        let position = WirePosition(epoch: WireString(epoch), revision: 1)
        let savedReplica = SavedReplica(
            position: position, committed: try TextBuffer("ab"),
            push: SentPush(position: position, seq: 1, change: change),
            inFlight: change, unsent: try Change([Edit(3..<3, "Y")]), nextSeq: 2)
        try keeping?.keep(UnsavedEditsFile(savedReplica, of: "notes", creates: false), as: 7)
        keeping = nil
        do {
            let killed = LiveClient(server.address, ClientOptions(client: id))
            let document = try await killed.open("notes").opened()
            try document.replace(1..<1, with: "X")
            try await document.saved()
        }
        let next = try LiveClient(server.address, keepingUnsavedIn: folder.path)
        let document = try await next.open("notes").opened()
        try await document.saved()
        #expect(document.text.string == "aXbY")
        #expect(try await other.read("notes").text == "aXbY")
    }

    @Test("edits that replace or delete text are read back as they were written")
    func replacements() throws {
        defer { remove() }
        let position = WirePosition(epoch: "e", revision: 4)
        let change = try Change([Edit(1..<3, "X"), Edit(5..<6, "")])
        let savedReplica = SavedReplica(
            position: position, committed: try TextBuffer("abcdefgh"),
            push: SentPush(position: position, seq: 3, change: change), inFlight: change,
            unsent: try Change([Edit(0..<2, "Y")]), nextSeq: 4)
        let keeping = try UnsavedEditsFolder(folder.path)
        try keeping.keep(UnsavedEditsFile(savedReplica, of: "notes", creates: false), as: 5)
        let found = try #require(try keeping.replicas().first)
        #expect(found.key == DocumentKey(value: 5) && found.replica.savedReplica == savedReplica)
        #expect(found.replica.text.string == "Ydegh")
    }

    @Test("only one client can use a folder, and damaged files are reported")
    func lock() throws {
        defer { remove() }
        let keeping = try UnsavedEditsFolder(folder.path)
        #expect(throws: UnsavedEditsFault.self) { try UnsavedEditsFolder(folder.path) }
        try withExtendedLifetime(keeping) {
            #expect(try keeping.clientID(orElse: "somebody-1") == "somebody-1")
            #expect(try keeping.clientID(orElse: "somebody-2") == "somebody-1")
            try Data("{".utf8).write(to: folder.appending(path: "1.edits.new"))
            #expect(try keeping.replicas().isEmpty)
            try Data("{".utf8).write(to: folder.appending(path: "1.edits"))
            #expect(throws: UnsavedEditsFault.self) { try keeping.replicas() }
        }
    }

    @Test(
        "a damaged client id is reported, not repaired",
        arguments: ["\u{FF}", ""])
    func damagedID(text: String) throws {
        defer { remove() }
        let keeping = try UnsavedEditsFolder(folder.path)
        // Each scalar of `text` becomes one byte. The byte 0xFF never occurs in UTF-8.
        try Data(text.unicodeScalars.map { UInt8($0.value) }).write(to: folder.appending(path: "client"))
        let fault = #expect(throws: UnsavedEditsFault.self) { try keeping.clientID(orElse: "somebody-1") }
        #expect(fault?.description.hasPrefix("\(folder.path)/client: could not understand") == true)
    }

    @Test("an error names the file, the failed action and the reason")
    func faults() throws {
        defer { remove() }
        let path = folder.path
        let keeping = try UnsavedEditsFolder(path)
        #expect(
            fault { _ = try UnsavedEditsFolder(path) }
                == "/lock: could not lock: another client uses the folder of unsaved edits")
        // A folder cannot be read or removed like a file.
        for name in ["client", "7.edits"] {
            let inner = folder.appending(path: name)
            try FileManager.default.createDirectory(at: inner, withIntermediateDirectories: false)
        }
        #expect(
            fault { _ = try keeping.clientID(orElse: "somebody-1") }
                == "/client: could not read: Is a directory")
        #expect(fault { try keeping.forget(7) } == "/7.edits: could not remove: Is a directory")
        #expect(fault { try keeping.forget(8) } == nil)
        let made = #expect(throws: UnsavedEditsFault.self) { try UnsavedEditsFolder("/nowhere/at/all") }
        #expect(
            made?.description == "/nowhere/at/all: could not make the folder: No such file or directory")
    }

    /// The description of a fault, without the path of the folder. Nil if `body` does not throw.
    private func fault(_ body: () throws -> Void) -> String? {
        do {
            try body()
            return nil
        } catch {
            return String("\(error)".trimmingPrefix(folder.path))
        }
    }

    @Test("edits are not kept while the folder cannot be written")
    func unwritable() async throws {
        defer { remove() }
        let client = try LiveClient(.unix(path: "/nowhere/caretd.sock"), keepingUnsavedIn: folder.path)
        let document = client.open("notes", creating: true)
        var updates = document.updates.makeAsyncIterator()
        try FileManager.default.removeItem(at: folder)
        try document.replace(0..<0, with: "one")
        let fault = await #expect(throws: UnsavedEditsFault.self) { try await document.kept() }
        let expected = try #require(fault)
        #expect(expected.description.hasPrefix("\(folder.path)/1.edits.new: could not make:"))
        while await updates.next() != .notKept(expected) {}
        #expect(document.keepingFault == expected)
        var snapshots = document.snapshots.makeAsyncIterator()
        #expect(await snapshots.next()?.keepingFault == expected)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
        try document.replace(3..<3, with: " two")
        try await document.kept()
        while await updates.next() != .kept {}
        #expect(document.keepingFault == nil)
        #expect(try files() == ["1.edits"])
    }

    @Test("edits that cannot be kept are tried again, and only news are reported")
    func keptAgain() throws {
        var talk = ClientConversation.welcomed(unsaved: [])
        let key = talk.open("ab")
        let keep = ClientAction.keep(key)
        #expect(try talk.type("x", in: key).first == keep)
        let fault = try #require(throws: UnsavedEditsFault.self) { try UnsavedEditsFolder("/nowhere/at/all") }
        talk.writeFile(of: key)
        #expect(talk.notKept(key, fault) == [.update(key, .notKept(fault)), .wake(5_000)])
        #expect(talk.wait(5_000).first == keep)
        talk.writeFile(of: key)
        #expect(talk.notKept(key, fault).contains(.update(key, .notKept(fault))) == false)
        #expect(talk.kept(key) == [.update(key, .kept)])
        #expect(talk.kept(key) == [])
        // After a success, the same fault is news again.
        #expect(try talk.type("y", in: key).first == keep)
        talk.writeFile(of: key)
        #expect(talk.notKept(key, fault).first == .update(key, .notKept(fault)))
        #expect(talk.notKept(key, fault).contains(.update(key, .notKept(fault))) == false)
    }

    @Test("edits whose file is older than their last push are entered once, with all later ones")
    func stale() async throws {
        defer { remove() }
        let server = try ServerProcess()
        var stale = Data()
        do {
            let client = try LiveClient(server.address, keepingUnsavedIn: folder.path)
            let document = try await client.open("notes", creating: true).opened()
            try document.setText("saved")
            try await document.saved()
            server.kill()
            try document.append(", unsaved")
            try await kept(contains: "unsaved")
            stale = try Data(contentsOf: folder.appending(path: #require(files().first)))
            // From here on, the disk is full.
            try document.append(", pushed")
            try server.start()
            try await document.saved()
        }
        try await eventually { if try !files().isEmpty { throw NotYet() } }
        try stale.write(to: folder.appending(path: "1.edits"))
        server.kill()
        for word in [", more", ", and more"] {
            let client = try await eventually {
                try LiveClient(server.address, keepingUnsavedIn: folder.path)
            }
            let document = client.open("notes")
            try document.append(word)
            try await document.kept()
        }
        try server.start()
        let client = try await eventually { try LiveClient(server.address, keepingUnsavedIn: folder.path) }
        let document = client.open("notes")
        #expect(document.text.string == "saved, unsaved, more, and more")
        try await document.saved()
        let text = try await client.read("notes").text
        for word in ["saved", ", unsaved", ", pushed", ", more", ", and more"] {
            #expect(text.components(separatedBy: word).count == (word == "saved" ? 3 : 2), "\(text)")
        }
    }

    @Test("requests with higher numbers do not make kept edits look old")
    func requestNumbers() async throws {
        defer { remove() }
        let server = try ServerProcess()
        do {
            let client = try LiveClient(server.address, keepingUnsavedIn: folder.path)
            let document = try await client.open("notes", creating: true).opened()
            try document.setText("saved")
            try await document.saved()
            server.kill()
            try document.append(", unsaved")
            try await kept(contains: "unsaved")
        }
        try server.start()
        do {
            let client = try await eventually {
                try LiveClient(server.address, keepingUnsavedIn: folder.path)
            }
            try await client.restore("notes", to: 1)
        }
        let client = try await eventually { try LiveClient(server.address, keepingUnsavedIn: folder.path) }
        try await client.open("notes").saved()
        #expect(try await client.read("notes").text == "saved, unsaved")
    }

    @Test("edits typed before a document is open are not dropped, whatever the client has pushed before")
    func typedBeforeOpening() async throws {
        defer { remove() }
        let server = try ServerProcess()
        do {
            let client = try LiveClient(server.address, keepingUnsavedIn: folder.path)
            let document = try await client.open("notes", creating: true).opened()
            for word in ["one, ", "two, "] {
                try document.append(word)
                try await document.saved()
            }
        }
        server.kill()
        do {
            let client = try await eventually {
                try LiveClient(server.address, keepingUnsavedIn: folder.path)
            }
            let document = client.open("notes")
            try document.append("three")
            try await document.kept()
        }
        try server.start()
        let client = try await eventually { try LiveClient(server.address, keepingUnsavedIn: folder.path) }
        try await client.open("notes").saved()
        #expect(try await client.read("notes").text == "one, two, three")
    }

    @Test("edits are written to disk before their push, but not an unedited text")
    func writtenOnce() throws {
        var talk = ClientConversation.welcomed(unsaved: [])
        let (key, actions) = talk.open()
        let opened = talk.receive(.opened(.text("ab", at: 1)), .number(1))
        #expect(!(actions + opened).contains(.keep(key)))
        #expect(try talk.type("x", in: key).first == .keep(key))
        // The file is written later and will contain this change too, so no second `keep` is needed.
        #expect(try !talk.type("y", in: key).contains(.keep(key)))
    }

    @Test("a file from an older version of Caret does not create a document")
    func olderFile() throws {
        defer { remove() }
        let keeping = try UnsavedEditsFolder(folder.path)
        let edit = #"{"start":0,"end":0,"text":"x"}"#
        let file = #"{"name":"notes","committed":"","inFlight":[],"unsent":[\#(edit)],"nextSeq":1}"#
        try Data(file.utf8).write(to: folder.appending(path: "4.edits"))
        var talk = ClientConversation.welcomed(unsaved: try keeping.replicas())
        let (key, actions) = talk.open()
        #expect(key == DocumentKey(value: 4))
        #expect(actions.contains(.send(.open(Open(document: "notes")), 1)))
        #expect(talk.state.documents[key]?.replica.text.string == "x")
    }

    @Test("if several files have edits of one document, all are pushed in order")
    func sameDocument() async throws {
        defer { remove() }
        let server = try ServerProcess()
        let other = LiveClient(server.address)
        try await other.push("ab", to: "notes", creating: true)
        let position = WirePosition(epoch: WireString(try await other.read("notes").epoch), revision: 1)
        do {
            let keeping = try UnsavedEditsFolder(folder.path)
            for (number, word) in [(12, "second "), (3, "first "), (20, "third ")] {
                let savedReplica = SavedReplica(
                    position: position, committed: try TextBuffer("ab"), push: nil, inFlight: Change(),
                    unsent: try Change([Edit(0..<0, word)]), nextSeq: 1)
                try keeping.keep(UnsavedEditsFile(savedReplica, of: "notes", creates: false), as: number)
            }
        }
        let client = try LiveClient(server.address, keepingUnsavedIn: folder.path)
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

    @Test("edits of two documents with the same name are both kept")
    func closedUnderNameOfAnother() throws {
        var replica = Replica()
        _ = try replica.typed(Change([Edit(0..<0, "kept")]))
        let kept = UnsavedDocument(key: DocumentKey(value: 1), name: "old", replica: replica, creates: false)
        var talk = ClientConversation.welcomed(unsaved: [kept])
        let key = talk.open("ab")
        _ = try talk.type("x", in: key)
        _ = talk.receive(.gone(Gone(document: "notes", epoch: "e", reason: .renamed, to: "old")))
        _ = talk.close(key)
        let older = talk.open(named: "old").key
        #expect(talk.state.documents[older]?.replica.text.string == "kept")
        _ = talk.discard(older)
        _ = talk.close(older)
        let newer = talk.open(named: "old").key
        #expect(talk.state.documents[newer]?.replica.text.string == "xab")
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

    /// Calls `body` until it does not throw, because a released client ends a little later, on its own queue.
    private func eventually<Answer>(_ body: () throws -> Answer) async throws -> Answer {
        for _ in 0..<100_000 {
            if let answer = try? body() { return answer }
            await Task.yield()
        }
        return try body()
    }

    private func remove() {
        // If the removal fails, the folder stays in the system's temporary folder. This harms no test.
        try? FileManager.default.removeItem(at: folder)
    }
}

import CaretClient
import CaretCore
import CaretReplica
import Foundation
import TestSupport
import Testing

@Suite("Sharing") struct SharingTests {
    private static let people = 8

    @Test("eight who type, paste and undo, over cuts and a killed server, end with one text and lose nothing")
    func eight() async throws {
        let server = try ServerProcess()
        let rounds = ProcessInfo.processInfo.environment["CARET_FULL"] == nil ? 3 : 20
        let relay = try Relay(to: server.address)
        var typists: [Typist] = []
        for number in 0..<SharingTests.people {
            typists.append(try await Typist(number, at: number % 2 == 0 ? relay.address : server.socket))
        }
        for round in 0..<rounds {
            try await withThrowingTaskGroup { group in
                for typist in typists { group.addTask { try await typist.type(seed: UInt64(round)) } }
                // In the midst of it: the first who are through are far ahead of the last.
                relay.cut()
                try await group.next()
                relay.cut()
                try await group.next()
                server.kill()
                try server.start()
                try await group.waitForAll()
            }
        }
        for typist in typists { try await typist.document.saved() }
        #expect(relay.connections >= SharingTests.people / 2 + rounds)
        // A text that was another is replaced by the server's, so all are equal in the end whatever happened.
        #expect(try server.count(of: "text_diverged") == 0)
        let client = CaretClient(server.address)
        let text = try await client.read("shared").text
        for typist in typists {
            await typist.sees(text)
            #expect(await typist.isSound(in: text), "client \(typist.number)")
        }
    }
}

/// A person who knows what of their own must be in the text, since nobody else takes it away.
private actor Typist {
    let number: Int
    nonisolated let document: Document
    /// What was typed and not taken back. Each is a word that nobody else types.
    private var words: [String] = []
    private var typed = 0

    init(_ number: Int, at address: ServerAddress) async throws {
        self.number = number
        let client = CaretClient(address, ClientOptions(person: Person(name: "\(number)")))
        document = try await client.open("shared", creating: true).opened()
    }

    func type(seed: UInt64) async throws {
        var random = Seeded(seed &* 100 &+ UInt64(number))
        for _ in 0..<60 {
            switch random.number(0...9) {
            case 0..<6: try add(pastes: random.chance(20), &random)
            case 6, 7: undo()
            case 8: redo()
            default: try await document.saved()
            }
            await Task.yield()
        }
    }

    /// Between two words, so that none is torn.
    private func add(pastes: Bool, _ random: inout Seeded) throws {
        typed += 1
        let word = "<\(number).\(typed)\(pastes ? String(repeating: "é😀\n", count: 20) : "")>"
        let chance = random.next()
        try document.edit { text in
            let units = Array(text.string.utf16)
            let places = [0] + units.indices.filter { units[$0] == 0x3E }.map { $0 + 1 }
            let place = Offset(places[Int(chance % UInt64(places.count))])
            return [try Edit(place..<place, word)]
        }
        words.append(word)
    }

    /// Words that were typed side by side go and come together, so the text tells which. Only this person's own undo can
    /// change what there is of their words: if it was another's, what is expected here is not in the text at the end.
    private func undo() {
        document.undo()
        words = ownWords(in: document.text.string)
    }

    private func redo() {
        document.redo()
        words = ownWords(in: document.text.string)
    }

    nonisolated func sees(_ text: String) async {
        var updates = document.updates.makeAsyncIterator()
        while document.text.string != text, await updates.next() != nil {}
    }

    /// All words of this person that were not taken back are there once, and no other of theirs is.
    func isSound(in text: String) -> Bool { ownWords(in: text).sorted() == words.sorted() }

    private func ownWords(in text: String) -> [String] {
        text.split(separator: "<").map { "<" + $0 }.filter { $0.hasPrefix("<\(number).") }
    }
}

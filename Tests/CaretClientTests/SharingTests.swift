import CaretClient
import CaretCore
import CaretReplica
import Foundation
import TestSupport
import Testing

@Suite("Several clients that edit the same document") struct SharingTests {
    private static let people = 8

    @Test("eight clients converge despite lost connections and a killed server")
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
                // The connections are cut, and the server is killed, while the clients type: the first
                // clients are far ahead of the last ones.
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
        // A client replaces a diverged text by the server's text, so the final texts do not show a
        // divergence. The log does.
        #expect(try server.count(of: "text_diverged") == 0)
        let client = LiveClient(server.address)
        let text = try await client.read("shared").text
        for typist in typists {
            await typist.sees(text)
            #expect(await typist.isSound(in: text), "client \(typist.number)")
        }
    }
}

/// A client that types, and knows which of its own words must be in the text. No other client deletes these
/// words.
private actor Typist {
    let number: Int
    nonisolated let document: LiveDocument
    /// The words that were typed and not undone. No other client types these words.
    private var words: [String] = []
    private var typed = 0

    init(_ number: Int, at address: ServerAddress) async throws {
        self.number = number
        let client = LiveClient(address, ClientOptions(person: PersonInfo(name: "\(number)")))
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

    /// Inserts a word between two other words, so that no word is split.
    private func add(pastes: Bool, _ random: inout Seeded) throws {
        typed += 1
        let word = "<\(number).\(typed)\(pastes ? String(repeating: "é😀\n", count: 20) : "")>"
        let chance = random.next()
        try document.edit { text in
            let units = Array(text.string.utf16)
            let offsets = [0] + units.indices.filter { units[$0] == 0x3E }.map { $0 + 1 }
            let offset = Offset(offsets[Int(chance % UInt64(offsets.count))])
            return [try Edit(offset..<offset, word)]
        }
        words.append(word)
    }

    /// An undo may remove several words that were typed next to each other, so the client reads from the text
    /// which words are left. Only this client's own undo may change its words. If an undo of another client
    /// changes them, the last check of the test fails.
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

    /// Whether the text contains exactly the words of this client that were not undone, each once.
    func isSound(in text: String) -> Bool { ownWords(in: text).sorted() == words.sorted() }

    private func ownWords(in text: String) -> [String] {
        text.split(separator: "<").map { "<" + $0 }.filter { $0.hasPrefix("<\(number).") }
    }
}

import CaretClient
import Foundation
import Synchronization
import TestSupport
import Testing

/// Without PostgreSQL on this machine, `PostgresStoreTests` has a failing test that says so.
@Suite(
    "Clients with the addresses of several servers over one database", .serialized,
    .enabled(if: (try? PostgresCluster.shared.get()) != nil))
struct RollingRestartTests {
    /// Every third restart is a crash. The other servers end as an operator stops them.
    @Test("while the servers are stopped one after another, each edit arrives once")
    func rollingRestart() async throws {
        let store = try PostgresCluster.shared.get().newAddress()
        let servers = try ["a", "b", "c"].map {
            try ServerProcess(["--store", store, "--node", $0, "--allow-unreplicated=true"])
        }
        let addresses = servers.map(\.address)
        _ = try await LiveClient(servers: addresses).open("shared", creating: true).opened()
        let isDone = Flag()
        async let ann = typeWords("ann", addresses, until: isDone)
        async let bob = typeWords("bob", addresses, until: isDone)
        let node = try NodeWriter(document: "shared", at: addresses)
        var pushed = 0
        let restarts = Seeds.share(of: 60, everyCommit: 6)
        for restart in 0..<restarts {
            let server = servers[restart % servers.count]
            restart % 3 == 2 ? server.kill() : server.stop()
            // The other servers have all words that are typed now.
            for _ in 0..<2 {
                pushed += 1
                try await push("<once \(pushed)>", addresses)
                try await waitForNewWords(of: ["ann", "bob", "node"], addresses)
            }
            try server.start()
        }
        isDone.set()
        let typed = ["ann": try await ann, "bob": try await bob, "node": try node.end(), "once": pushed]
        for server in servers {
            let text = try await LiveClient(server.address).read("shared").text
            let found = Dictionary(grouping: words(in: text)) { $0.author }.mapValues { $0.map(\.number) }
            for (author, count) in typed {
                #expect(found[author] == Array(1...count), "the words of \(author) at \(server.address)")
            }
            #expect(found.count == typed.count)
        }
        print("Rolling restarts: \(restarts), \(typed.values.reduce(0, +)) words of 4 writers, each one once")
    }

    /// Types words into the document, and returns their number. Word n is `<NAME n>`.
    private func typeWords(
        _ name: String, _ addresses: [ServerAddress], until isDone: Flag
    ) async throws -> Int {
        let client = LiveClient(servers: addresses, ClientOptions(person: PersonInfo(name: name)))
        let document = try await client.open("shared", creating: true).opened()
        var count = 0
        while !isDone.isSet {
            count += 1
            try document.append("<\(name) \(count)>")
            // A fast typist.
            try await Task.sleep(for: .milliseconds(5))
        }
        try await document.saved()
        return count
    }

    /// Adds a word as a command does, with a client that does not reconnect.
    private func push(_ word: String, _ addresses: [ServerAddress]) async throws {
        let client = LiveClient(servers: addresses, .oneShot)
        let before = try await client.read("shared")
        try await client.push(before.text + word, to: "shared", since: before)
        client.close()
    }

    /// Waits until the servers have a word of each author that they do not have now.
    private func waitForNewWords(of authors: [String], _ addresses: [ServerAddress]) async throws {
        let client = LiveClient(servers: addresses)
        func counts() async throws -> [String: Int] {
            let text = try await client.read("shared").text
            return Dictionary(words(in: text).map { ($0.author, $0.number) }, uniquingKeysWith: max)
        }
        let before = try await counts()
        let end = ContinuousClock.now + .seconds(30)
        while true {
            let now = try await counts()
            if authors.allSatisfy({ now[$0, default: 0] > before[$0, default: 0] }) { return }
            try #require(ContinuousClock.now < end, "somebody has typed nothing: \(before), \(now)")
            try await Task.sleep(for: .milliseconds(10))
        }
    }

    private func words(in text: String) -> [(author: String, number: Int)] {
        text.split(separator: "<").map { word in
            let parts = word.dropLast().split(separator: " ")
            return (String(parts[0]), parts.count == 2 ? Int(parts[1]) ?? 0 : 0)
        }
    }
}

/// Is set once.
private final class Flag: Sendable {
    private let state = Atomic(false)

    var isSet: Bool { state.load(ordering: .relaxed) }

    func set() { state.store(true, ordering: .relaxed) }
}

/// A program with the JavaScript client that types until its input ends.
private final class NodeWriter {
    private let program: ChildProgram

    init(document: String, at addresses: [ServerAddress]) throws {
        let script = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .appending(path: "NodeSupport/list-writer.mjs")
        program = try ChildProgram(
            ["node", script.path, document] + addresses.map(\.description), input: .pipe, output: .pipe)
    }

    /// Waits until everything that was typed is saved, and returns the number of words.
    func end() throws -> Int {
        program.endInput()
        let text = program.remainingOutput()
        return try #require(Int(text.dropLast()), "the program has printed \(text)")
    }
}

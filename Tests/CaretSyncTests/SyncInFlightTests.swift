import CaretClient
import CaretSync
import CaretWire
import Synchronization
import TestSupport
import Testing

/// A first sync of many files, of which several are in flight.
@Suite("A sync with several files in flight", .timeLimit(.minutes(2))) struct SyncInFlightTests {
    private static let most = SyncTurns.Bound.files

    private static func names(_ count: Int) -> [String] { (0..<count).map { "d\($0 % 3)/f\(100 + $0)" } }

    /// A world with files in the folder, or with documents on the server.
    private func world(_ count: Int, up: Bool) throws -> SyncWorld {
        let world = try SyncWorld()
        for folder in 0..<3 where up { world.disk.makeFolder(byUser: SyncWorld.path("d\(folder)")) }
        for name in Self.names(count) {
            if up {
                world.save("\(name)\n", to: name)
            } else {
                world.server.set(WireString(name), "\(name)\n")
            }
        }
        world.disk.syncAll()
        world.clock.pass(3_600_000)
        return world
    }

    private func expectAll(_ world: SyncWorld, _ count: Int, _ what: String = "") {
        let wanted = Dictionary(uniqueKeysWithValues: Self.names(count).map { ($0, "\($0)\n") })
        #expect(world.disk.texts(in: SyncWorld.root) == wanted, "\(what)")
        #expect(world.server.texts == wanted, "\(what)")
        for name in Self.names(count) {
            let history = world.server.history(of: WireString(name))
            #expect(history.count == 2, "\(what): \(name) was pushed twice")
        }
    }

    @Test(
        "as many requests as the bound are in flight, and not one more",
        arguments: [most - 1, most, most + 1, 3 * most], [false, true])
    func requests(count: Int, up: Bool) async throws {
        let world = try world(count, up: up)
        try await world.begin(0)
        let (server, syncer) = (world.server, try #require(world.folders[0].syncer))
        server.holdAnswers()
        async let wait = syncer.pass(nil, once: true)
        await server.waitUntilHeld(min(count, Self.most))
        // The syncer has done everything that it can do without an answer.
        _ = await syncer.state
        #expect(server.held.now == min(count, Self.most))
        server.releaseAnswers()
        #expect(try await wait == nil)
        #expect(server.held.most == min(count, Self.most))
        expectAll(world, count)
        #expect(world.reports.map(\.path) == Self.names(count).sorted())
        #expect(server.requests[up ? "push" : "read"] == count)
    }

    @Test("messages come in the order of the files, although some files need more requests")
    func order() async throws {
        let count = 2 * Self.most
        let world = try world(count, up: true)
        // These documents are read first, and then their lines are merged.
        for name in Self.names(count) where name.hasSuffix("0") {
            world.server.set(WireString(name), "there\n")
        }
        try await world.begin(0)
        world.server.refuse("push", with: [.forbidden])
        let syncer = try #require(world.folders[0].syncer)
        _ = try await syncer.pass(nil, once: true)
        let paths = world.reports.map(\.path)
        #expect(Set(paths).count == count)
        #expect(paths == paths.sorted())
    }

    @Test("a simulated run sends the same requests in the same order again", arguments: [false, true])
    func again(up: Bool) async throws {
        var runs: [[String]] = []
        for _ in 0..<2 {
            let world = try world(80, up: up)
            try await world.begin(0)
            let calls = Calls()
            world.server.watch { calls.add($0) }
            world.disk.watch { calls.add("\($0.name) \($0.path)") }
            try await world.run(100)
            runs.append(calls.all)
        }
        #expect(runs[0] == runs[1] && runs[0].count > 500)
    }

    @Test(
        "a kill or a power cut in the middle of a first sync loses nothing, and pushes nothing twice",
        arguments: [false, true], [false, true])
    func killed(up: Bool, cutsPower: Bool) async throws {
        let count = Self.most + 2
        var random = Seeded(up ? 1 : 2)
        var (calls, starts) = (0, 0)
        while true {
            let world = try world(count, up: up)
            try await world.begin(0)
            world.disk.kill(after: calls)
            var isWhole = false
            do {
                try await world.run(200)
                isWhole = !world.disk.isKilled
            } catch let fault as FileFault where fault == MemoryDisk.killed {
                // The next start goes on.
            } catch is SyncFault {
                // The program was killed while it looked at its state folder.
            }
            world.end(0)
            if cutsPower { world.disk.cutPower(&random) }
            try await world.begin(0)
            try await world.run(2_500)
            expectAll(world, count, "killed after \(calls) calls")
            starts += 1
            if isWhole { break }
            calls += random.number(20...120)
        }
        #expect(starts > 10)
    }

    @Test(
        "if the events of the server end while files are in flight, the pass ends with their error")
    func newsEnded() async throws {
        let count = 2 * Self.most
        let world = try world(count, up: true)
        try await world.begin(0)
        let (server, syncer) = (world.server, try #require(world.folders[0].syncer))
        server.holdAnswers()
        let pass = Task { try await syncer.pass(nil, once: true) }
        await server.waitUntilHeld(Self.most)
        await syncer.newsEnded(NewsEnded())
        server.releaseAnswers()
        await #expect(throws: NewsEnded.self) { _ = try await pass.value }
        #expect(await syncer.state.records.count == Self.most)
        await SyncWorld.expectTidy(syncer.state.records, on: world.disk)
        world.end(0)
        try await world.begin(0)
        try await world.run(3_000)
        expectAll(world, count)
    }

    @Test("a file and a document below it are handled one after the other")
    func nested() async throws {
        for _ in 0..<3 {
            let world = try SyncWorld()
            for name in ["a", "a/b", "a/c", "b/a", "b"] { world.server.set(WireString(name), "\(name)\n") }
            try await world.begin(0)
            try await world.run(3_000)
            #expect(world.disk.texts(in: SyncWorld.root) == ["a": "a\n", "b": "b\n"])
            let skipped = world.reports.filter { if case .leftAlone = $0.report { true } else { false } }
            #expect(skipped.map(\.path) == ["a/b", "a/c", "b/a"])
        }
    }
}

private struct NewsEnded: Error {}

/// A list of calls.
private final class Calls: Sendable {
    private let list = Mutex<[String]>([])
    var all: [String] { list.withLock { $0 } }
    func add(_ call: String) { list.withLock { $0.append(call) } }
}

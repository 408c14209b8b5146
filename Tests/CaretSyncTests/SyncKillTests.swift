import CaretSync
import CaretWire
import Synchronization
import TestSupport
import Testing

/// Kills, power cuts and saves before each call of a sync.
@Suite("Syncs that are interrupted before a disk call") struct SyncKillTests {
    /// A world in which the sync still has work to do. Another user has changed files, deleted a file and
    /// made a file. In the folder, files were saved and made, and a file was deleted.
    private func world() async throws -> SyncWorld {
        let world = try SyncWorld()
        try await world.begin(0)
        for name in ["changed", "both", "deleted", "deleted-here"] { world.save("\(name)\n", to: name) }
        try await world.run(2_000)
        world.disk.syncAll()
        world.server.set("changed", "changed\nelsewhere: changed\n")
        world.server.set("both", "elsewhere: both\nboth\n")
        world.server.set("new", "elsewhere: new\n")
        try await world.server.delete("deleted")
        world.save("both\nhere: both\n", to: "both")
        world.save("here: new\n", to: "mine")
        world.disk.remove(byUser: SyncWorld.path("deleted-here"))
        world.disk.syncAll()
        return world
    }

    /// Checks the end state, which must be the same after every kill or power cut.
    private func expectAll(_ world: SyncWorld, _ what: String) throws {
        let wanted = [
            "changed": "changed\nelsewhere: changed\n", "both": "elsewhere: both\nboth\nhere: both\n",
            "new": "elsewhere: new\n", "mine": "here: new\n",
        ]
        let files = world.disk.texts(in: SyncWorld.root)
        #expect(files == wanted, "\(what)")
        #expect(world.server.texts == wanted, "\(what)")
        let trash = try SyncTrash(in: SyncWorld.root, on: world.disk)
        #expect(trash.items.map(\.path) == ["deleted"], "\(what)")
        #expect(try trash.items.first.map { try trash.bytes(of: $0) } == Array("deleted\n".utf8), "\(what)")
    }

    /// Runs the program until it is killed or has nothing left to do. Returns false if it was killed.
    private func runs(_ world: SyncWorld, killedAfter calls: Int) async throws -> Bool {
        world.disk.kill(after: calls)
        do {
            try await world.run(5_000)
        } catch let fault as FileFault where fault == MemoryDisk.killed {
            return false
        } catch is SyncFault {
            // The program was killed while it read its state folder.
            return false
        }
        return true
    }

    @Test("a kill just before a disk call loses no text, whichever call it is")
    func killed() async throws { try await kill("killed") { _ in } }

    @Test("a power cut just before a disk call loses no text that is on disk", arguments: Seeds.first(3))
    func powerCut(seed: UInt64) async throws {
        var random = Seeded(seed)
        try await kill("cut off, seed \(seed)") { $0.disk.cutPower(&random) }
    }

    @Test("a power cut after a kill and a new start loses no text", arguments: Seeds.first(2))
    func killedAndCut(seed: UInt64) async throws {
        var random = Seeded(seed)
        try await kill("killed, then cut off, seed \(seed)") { world in
            try await world.begin(0)
            world.end(0)
            world.disk.cutPower(&random)
        }
    }

    /// Makes a world for each call, kills the program before that call, and starts it again.
    private func kill(_ what: String, _ change: (SyncWorld) async throws -> Void) async throws {
        var calls = 0
        while true {
            let world = try await world()
            let isWhole = try await runs(world, killedAfter: calls)
            world.end(0)
            try await change(world)
            try await world.begin(0)
            try await world.run(8_000)
            try expectAll(world, "\(what) after \(calls) calls")
            if isWhole { break }
            calls += 1
        }
        #expect(calls > 100)
    }

    @Test("a save is merged, whichever disk call of the sync comes next", arguments: [false, true])
    func saved(asNewFile: Bool) async throws {
        var calls = 0
        while true {
            let world = try SyncWorld()
            try await world.begin(0)
            world.save("a\n", to: "file")
            try await world.run(1_000)
            world.server.set("file", "elsewhere: a line\na\n")
            let (moment, disk) = (Moment(after: calls), world.disk)
            disk.watch { _ in
                // The editor has just read the file, with or without the line from elsewhere.
                if moment.hasCome() {
                    let text = disk.text(SyncWorld.path("file")) ?? "a\n"
                    disk.save(text + "here: a line\n", to: SyncWorld.path("file"), asNewFile: asNewFile)
                }
            }
            try await world.run(1_000)
            let isOver = moment.isAhead
            disk.watch(nil)
            try await world.run(6_000)
            if isOver { break }
            let wanted = "elsewhere: a line\na\nhere: a line\n"
            #expect(world.text("file") == wanted, "saved before call \(calls)")
            #expect(world.server.texts["file"] == wanted, "saved before call \(calls)")
            calls += 1
        }
        #expect(calls > 20)
    }

    @Test("a save during a removal brings the file back, at any disk call", arguments: [false, true])
    func savedWhileRemoved(asNewFile: Bool) async throws {
        var calls = 0
        while true {
            let world = try SyncWorld()
            try await world.begin(0)
            world.save("a\n", to: "file")
            try await world.run(1_000)
            try await world.server.delete("file")
            let (moment, disk) = (Moment(after: calls), world.disk)
            disk.watch { _ in
                if moment.hasCome() {
                    disk.save("a\nhere: a line\n", to: SyncWorld.path("file"), asNewFile: asNewFile)
                }
            }
            try await world.run(1_000)
            let isOver = moment.isAhead
            disk.watch(nil)
            try await world.run(6_000)
            if isOver { break }
            #expect(world.text("file") == "a\nhere: a line\n", "saved before call \(calls)")
            #expect(world.server.texts["file"] == "a\nhere: a line\n", "saved before call \(calls)")
            calls += 1
        }
        #expect(calls > 10)
    }

    @Test(
        "text written during the replacement of an open file is kept",
        arguments: [false, true])
    func writtenWhileExchanged(canExchange: Bool) async throws {
        var calls = 0
        while true {
            let world = try SyncWorld()
            if !canExchange { world.disk.cannotExchange() }
            try await world.begin(0)
            world.save("a\n", to: "file")
            try await world.run(1_000)
            let file = try #require(world.disk.number(of: SyncWorld.path("file")))
            world.server.set("file", "elsewhere: a line\na\n")
            let (moment, disk) = (Moment(after: calls), world.disk)
            disk.watch { _ in
                if moment.hasCome() { disk.write("a\nhere: a line\n", intoFile: file) }
            }
            try await world.run(1_000)
            let isOver = moment.isAhead
            disk.watch(nil)
            try await world.run(6_000)
            if isOver { break }
            #expect(
                world.text("file") == "elsewhere: a line\na\nhere: a line\n", "written before call \(calls)")
            calls += 1
        }
        #expect(calls > 20)
    }
}

/// One call among many, chosen by its number.
private final class Moment: Sendable {
    private let left: Mutex<Int>

    init(after calls: Int) { left = Mutex(calls) }

    /// Counts a call. Returns true at the chosen call.
    func hasCome() -> Bool {
        left.withLock { left in
            left -= 1
            return left == -1
        }
    }

    /// True if there were too few calls, so that the chosen call was not reached.
    var isAhead: Bool { left.withLock { $0 >= 0 } }
}

import CaretSync
import CaretWire
import Synchronization
import Testing

/// What a sync does besides the text: modes of files, the bytes in the trash, memory, files in the state folder,
/// reports and waiting times.
@Suite("Modes, trash, memory, reports and pauses of a sync") struct SyncBoundsTests {
    private static let day = 24 * 3_600_000

    private func world(_ texts: [String: String] = [:]) async throws -> SyncWorld {
        let world = try SyncWorld()
        try await world.begin(0)
        for (name, text) in texts { world.save(text, to: name) }
        try await world.run(1_000)
        return world
    }

    private func reports(_ world: SyncWorld) -> [SyncReport] { world.reports.map { $0.report } }

    // MARK: Modes

    @Test("a file keeps its mode, and a new file gets the usual mode", arguments: [0o600, 0o664, 0o755])
    func modes(mode: UInt32) async throws {
        for canExchange in [false, true] {
            let world = try await world(["file": "a\n"])
            if !canExchange { world.disk.cannotExchange() }
            world.disk.setMode(byUser: SyncWorld.path("file"), mode)
            world.server.set("file", "a\nb\n")
            world.server.set("new", "a\n")
            try await world.run(10_000)
            #expect(world.text("file") == "a\nb\n" && world.disk.mode(SyncWorld.path("file")) == mode)
            #expect(world.disk.mode(SyncWorld.path("new")) == 0o644)
            try await world.server.rename("file", to: "folder/other")
            try await world.run(5_000)
            #expect(world.disk.mode(SyncWorld.path("folder/other")) == mode)
        }
    }

    @Test("only the owner may read what the state folder has")
    func stateModes() async throws {
        let world = try await world(["file": "a\n", "gone": "a\n"])
        world.server.set("file", "a\nb\n")
        try await world.server.delete("gone")
        try await world.run(5_000)
        let folder = SyncWorld.path(".caret")
        #expect(world.disk.mode(folder) == 0o700)
        for name in world.disk.files(below: folder) where name.contains("json") || !name.contains("/") {
            let mode: UInt32 = world.disk.isFolder(folder + "/" + name) ? 0o700 : 0o600
            #expect(world.disk.mode(folder + "/" + name) == mode, "\(name)")
        }
    }

    @Test("the copy of a replaced file has the mode of the file, where no file has two names")
    func copyMode() async throws {
        let world = try await world(["file": "a\n"])
        world.disk.cannotExchange(canLink: false)
        world.disk.setMode(byUser: SyncWorld.path("file"), 0o600)
        world.server.set("file", "a\nb\n")
        try await world.run(2_000)
        let swap = SyncWorld.path(".caret/swap")
        let copies = world.disk.files(below: swap).filter { world.disk.text("\(swap)/\($0)") == "a\n" }
        #expect(world.text("file") == "a\nb\n")
        #expect(!copies.isEmpty && copies.allSatisfy { world.disk.mode("\(swap)/\($0)") == 0o600 })
    }

    // MARK: Trash

    @Test(
        "the trash has the bytes of a removed file, with its line breaks",
        arguments: ["a\nb\n", "a\r\nb\r\n"])
    func trashBytes(text: String) async throws {
        for isMadeAgain in [false, true] {
            let world = try await world(["file": text])
            try await world.server.delete("file")
            if isMadeAgain { world.server.set("file", "other\n") }
            try await world.run(5_000)
            let trash = try SyncTrash(in: SyncWorld.root, on: world.disk)
            #expect(trash.items.map(\.reason) == [isMadeAgain ? .replaced : .deleted])
            #expect(trash.items.map(\.bytes) == [text.utf8.count])
            #expect(try trash.items.map { try trash.bytes(of: $0) } == [Array(text.utf8)])
        }
    }

    @Test("the trash removes the oldest texts beyond its size limit, with their records")
    func trashSize() async throws {
        let world = try SyncWorld()
        try await world.begin(0)
        var trash = try SyncTrash(in: SyncWorld.root, on: world.disk)
        let half = SyncTrash.Limit.bytes / 2
        for (number, bytes, kept) in [
            // The only text stays, however long it is.
            (0, 3 * half, [0]), (1, half, [1]), (2, half, [1, 2]), (3, 1, [2, 3]), (4, half - 1, [2, 3, 4]),
            (5, half, [3, 4, 5]),
            (6, 1, [4, 5, 6]), (7, 1, [5, 6, 7]),
        ] {
            try trash.keep([], .init(number: number, path: "p", reason: .late, at: 0, bytes: bytes))
            #expect(trash.items.map(\.number) == kept)
            let names = world.disk.files(below: SyncWorld.path(".caret/trash"))
            #expect(names == kept.flatMap { ["\($0)", "\($0).json"] })
        }
    }

    @Test("a text that a program writes into an older file goes into the trash", arguments: [false, true])
    func late(isRemoved: Bool) async throws {
        let world = try await world(["file": "a\n"])
        let file = try #require(world.disk.number(of: SyncWorld.path("file")))
        world.server.set("file", "a\nb\n")
        try await world.run(10_000)
        world.disk.write("late\n", intoFile: file)
        if isRemoved {
            world.disk.remove(byUser: SyncWorld.path("file"))
            try await world.run(5_000)
        } else {
            try await world.idle(2 * Self.day)
        }
        let trash = try SyncTrash(in: SyncWorld.root, on: world.disk)
        #expect(trash.items.map(\.reason) == [.late])
        #expect(try trash.items.map { try trash.bytes(of: $0) } == [Array("late\n".utf8)])
    }

    // MARK: Memory and the state folder

    /// How many entries each table of a syncer and of its state has.
    private func tables(_ world: SyncWorld) async throws -> [String: Int] {
        let syncer = try #require(world.folders[0].syncer)
        let state = await syncer.state
        var counts: [String: Int] = [:]
        let children = Array(Mirror(reflecting: syncer).children) + Array(Mirror(reflecting: state).children)
        for case (let name?, let value) in children {
            let table = Mirror(reflecting: value)
            if table.displayStyle == .dictionary || table.displayStyle == .set {
                counts[name] = table.children.count
            }
        }
        return counts
    }

    @Test("files that came and went leave nothing in memory and in the state folder")
    func nothingIsLeft() async throws {
        let world = try await world()
        let (before, files) = (try await tables(world), world.disk.files(below: SyncWorld.path(".caret")))
        #expect(
            before["observations"] == 0 && before["numbers"] == 0 && before["finished"] == 0
                && before["postponed"] == 0)
        for round in 0..<3 {
            world.save("a\n", to: "file")
            world.save("\u{0}", to: "binary")
            world.server.refuse("push", with: [.forbidden])
            try await world.run(70_000)
            world.server.set("file", "a\nb \(round)\n")
            try await world.run(5_000)
            for name in ["file", "binary"] { world.disk.remove(byUser: SyncWorld.path(name)) }
            try await world.run(20_000)
            #expect(world.server.texts.isEmpty)
            #expect(try await tables(world) == before)
            #expect(world.disk.files(below: SyncWorld.path(".caret")) == files)
        }
    }

    @Test("texts are not kept in memory, and an idle folder is not read")
    func idle() async throws {
        let world = try await world(["file": "a\n"])
        try await world.run(10_000)
        let syncer = try #require(world.folders[0].syncer)
        let observations = Mirror(reflecting: syncer).children.first { $0.label == "observations" }
        let description = observations.map { "\($0.value)" }
        #expect(description?.contains("inode") == true && description?.contains("a\\n") == false)
        let reads = Counter()
        world.disk.watch { if $0.name == "read" { reads.add() } }
        try await world.run(60_000)
        #expect(reads.count == 0)
    }

    @Test("older texts are kept for a day, and at most 32 of them")
    func olderTexts() async throws {
        let world = try await world(["file": "0\n"])
        for number in 1...40 {
            world.server.set("file", "\(number)\n")
            try await world.run(5_000)
        }
        let swap = SyncWorld.path(".caret/swap")
        #expect(world.disk.files(below: swap).count == 32)
        try await world.idle(Self.day + 10_000)
        try await world.run(20_000)
        #expect(world.disk.files(below: swap).isEmpty)
    }

    // MARK: Reports

    @Test("a written text is reported with the users of the new revisions only")
    func authors() async throws {
        let world = try await world(["file": "a\n"])
        for (revision, user) in [(1, "Ann"), (2, "Ben"), (3, "Cyd")] {
            world.server.setAuthor(user, of: revision)
        }
        world.server.set("file", "a\nb\n")
        try await world.run(5_000)
        world.server.set("file", "a\nb\nc\n")
        try await world.run(5_000)
        #expect(
            reports(world) == [
                .pushed(revision: 1), .written(revision: 2, by: ["Ben"]), .written(revision: 3, by: ["Cyd"]),
            ])
    }

    @Test("an error is reported once, and again after a success")
    func errorAgain() async throws {
        let world = try await world()
        for round in 1...2 {
            world.save("\u{0}", to: "file")
            try await world.run(5_000)
            world.save("\u{0}\u{0}", to: "file")
            try await world.run(5_000)
            #expect(reports(world).count { $0 == .leftAlone(.binary) } == round)
            world.save("a \(round)\n", to: "file")
            try await world.run(5_000)
            #expect(world.server.texts == ["file": "a \(round)\n"])
        }
    }

    @Test("a folder that cannot be read is reported once, and again after it could be read")
    func unreadableAgain() async throws {
        let world = try await world()
        let folder = SyncWorld.path("folder")
        world.disk.makeFolder(byUser: folder)
        for round in 1...2 {
            world.disk.deny(folder)
            try await world.run(5_000)
            world.disk.deny(nil)
            try await world.run(5_000)
            #expect(
                reports(world).count { if case .leftAlone(.unreadable) = $0 { true } else { false } } == round
            )
            #expect(await world.folders[0].syncer?.isFullySynced == true)
        }
    }

    @Test("a refusal is reported once, tried again each minute, and reported again after a success")
    func refusedAgain() async throws {
        let world = try await world()
        for round in 1...2 {
            let before = world.server.pushes.count
            world.server.refuse("push", with: [.forbidden, .forbidden, .forbidden])
            world.save("a \(round)\n", to: "file")
            try await world.run(175_000)
            #expect(world.server.pushes.count == before + 3)
            #expect(world.reports.count { if case .refused = $0.report { true } else { false } } == round)
            try await world.run(10_000)
            #expect(world.server.texts == ["file": "a \(round)\n"])
        }
    }

    @Test("a push that changes nothing is not reported")
    func unchanged() async throws {
        let world = try await world(["file": "a\n"])
        world.save("a\nb\n", to: "file")
        // Another user has made the same change, and its event is late.
        world.server.set("file", "a\nb\n")
        _ = world.server.removeNews(of: 0)
        try await world.run(5_000)
        #expect(reports(world) == [.pushed(revision: 1)])
    }

    @Test("the counts at the start tell the folder from the server")
    func counts() async throws {
        let world = try SyncWorld()
        for name in ["both", "here", "here too"] { world.save("a\n", to: name) }
        for name in ["both", "there"] { world.server.set(WireString(name), "a\n") }
        try await world.begin(0)
        let counts = try await world.folders[0].syncer?.count()
        #expect(counts?.files == 3 && counts?.documents == 2)
        #expect(counts?.onlyHere == 2 && counts?.onlyThere == 1)
    }

    // MARK: Pauses

    @Test(
        "a folder that takes long to read is read less often",
        arguments: [(9, 10_000), (11, 11_000), (200, 200_000)])
    func slowFolder(time: Int, pause: Int) async throws {
        let world = try await world()
        let syncer = try #require(world.folders[0].syncer)
        try await world.run(20_000)
        world.disk.watch { [clock = world.clock] call in if call.name == "list" { clock.pass(time) } }
        #expect(try await world.pass() == pause)
        world.disk.watch(nil)
        world.clock.pass(pause)
        #expect(try await syncer.pass(nil, once: false) == 10_000)
    }
}

/// Counts calls.
private final class Counter: Sendable {
    private let number = Mutex(0)
    var count: Int { number.withLock { $0 } }
    func add() { number.withLock { $0 += 1 } }
}

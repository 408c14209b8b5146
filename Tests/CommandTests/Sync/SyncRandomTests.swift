import CaretWire
import TestSupport
import Testing

@testable import caret

/// Three folders in the hands of chance: editors that read seldom and save in six ways, kills, power cuts, a server that is
/// restored and one that is another.
@Suite("Synced folders in the hands of chance") struct SyncRandomTests {
    @Test(
        "no line is lost, and all folders are equal in the end",
        arguments: Seeds.first(Seeds.share(of: 2_000, everyCommit: 100)))
    func nothingIsLost(seed: UInt64) async throws {
        var people = try People(seed)
        for index in people.world.folders.indices { try await people.begin(index) }
        for _ in 0..<60 { try await people.step() }
        try await people.settle()
        let texts = people.world.folders.map { $0.disk.texts(in: SyncWorld.root) }
        let replay = Seeds.replay(seed, of: "SyncRandomTests.nothingIsLost")
        let server = people.world.server.texts
        for text in texts { #expect(text == server, "\(replay)") }
        let lines = Set(texts[0].values.flatMap { $0.split(separator: "\n").map(String.init) })
        #expect(people.lines.subtracting(lines).isEmpty, "\(replay)")
    }
}

/// Those who use the folders, and what else happens to them.
private struct People {
    let world: SyncWorld
    private var random: Seeded
    /// Everything that was saved by somebody, and must be somewhere in the end.
    private(set) var lines: Set<String> = []
    private var count = 0
    /// What an editor has read, which may be long ago.
    private var buffers: [Buffer: (text: String, epoch: String?)] = [:]
    private var backup: [WireString: ModelServer.Stored] = [:]
    private var stores = 1

    private struct Buffer: Hashable {
        var folder: Int
        var name: String
    }

    init(_ seed: UInt64) throws {
        world = try SyncWorld(folders: 3)
        random = Seeded(seed)
    }

    mutating func step() async throws {
        switch random.number(0...99) {
        case 0...44: try await save()
        case 45...53: try await kill()
        case 54...61: try await cutPower()
        case 62...64: backup = world.server.backup()
        case 65...67: try await changeServer()
        default: try await run(random.pick([20, 100, 400, 3_000]))
        }
    }

    // MARK: The programs

    func begin(_ index: Int) async throws { #expect(try await world.begin(index, adopting: true)) }

    private func run(_ milliseconds: Int) async throws {
        let end = world.clock.now + milliseconds
        while world.clock.now < end {
            for index in world.folders.indices { try await pass(index) }
            world.clock.pass(50)
        }
    }

    private func pass(_ index: Int) async throws {
        do {
            try await world.pass(index)
        } catch is StoreChanged {
            try await begin(index)
        } catch let fault as FileFault where fault == MemoryDisk.killed {
            world.end(index)
        } catch is Failure {
            world.end(index)
        }
    }

    private mutating func kill() async throws {
        let index = random.number(0...2)
        world.folders[index].disk.kill(after: random.number(0...60))
        for _ in 0..<4 {
            try await pass(index)
            world.clock.pass(70)
        }
        world.end(index)
        try await begin(index)
    }

    private mutating func cutPower() async throws {
        let index = random.number(0...2)
        world.folders[index].disk.kill(after: random.number(0...60))
        for _ in 0..<4 {
            try await pass(index)
            world.clock.pass(70)
        }
        world.end(index)
        world.folders[index].disk.cutPower(&random)
        forgetUnsynced()
        try await begin(index)
    }

    /// What no editor has synced and no server has got is gone with the power.
    private mutating func forgetUnsynced() {
        let texts =
            Array(world.server.texts.values)
            + world.folders.flatMap { $0.disk.texts(in: SyncWorld.root).values }
        let there = Set(texts.flatMap { $0.split(separator: "\n").map(String.init) })
        lines.formIntersection(there)
    }

    private mutating func changeServer() async throws {
        // What the old one had and no folder has yet is lost with it.
        try await settle()
        stores += 1
        if random.chance(50) {
            world.server.restore(backup, as: "s\(stores)")
        } else {
            world.change(to: ModelServer(store: "s\(stores)"))
            backup = [:]
        }
        for index in world.folders.indices { try await begin(index) }
    }

    mutating func settle() async throws {
        for index in world.folders.indices where world.folders[index].syncer == nil { try await begin(index) }
        for _ in 0..<40 {
            try await run(4_000)
            let texts = world.folders.map { $0.disk.texts(in: SyncWorld.root) }
            if texts.allSatisfy({ $0 == world.server.texts }) { return }
        }
    }

    // MARK: The people

    private mutating func save() async throws {
        let folder = random.number(0...2)
        let disk = world.folders[folder].disk
        let there = disk.texts(in: SyncWorld.root).keys.sorted()
        let name =
            there.isEmpty || random.chance(10) ? random.pick(["one", "two", "three"]) : random.pick(there)
        let path = SyncWorld.path(name)
        if disk.isFolder(path) { return }
        let buffer = Buffer(folder: folder, name: name)
        // An editor that holds the text of another document, which had the name before, would overwrite this one.
        let epoch = await world.folders[folder].syncer?.state.records[WireString(name)]?.head?.epoch
        if epoch == nil || buffers[buffer]?.epoch != epoch || random.chance(40) {
            buffers[buffer] = (disk.text(path) ?? "", epoch)
        }
        var lines = (buffers[buffer]?.text ?? "").split(separator: "\n", omittingEmptySubsequences: false)
            .map(
                String.init)
        count += 1
        let line = "\(count) \(word()) \(word())"
        lines.insert(line, at: random.number(0...lines.count - 1))
        let text = lines.joined(separator: "\n")
        buffers[buffer] = (text, epoch)
        write(text, to: path, on: disk)
        self.lines.insert(line)
        if random.chance(70) { disk.syncAll() }
    }

    /// The ways in which editors save.
    private mutating func write(_ text: String, to path: String, on disk: MemoryDisk) {
        switch random.number(0...5) {
        case 0: disk.save(text, to: path, asNewFile: false)
        case 1: disk.save(text, to: path, asNewFile: true)
        case 2:
            // Emptied first.
            disk.save("", to: path, asNewFile: false)
            disk.save(text, to: path, asNewFile: false)
        case 3:
            // In two pieces.
            disk.save(String(text.prefix(text.count / 2)), to: path, asNewFile: false)
            world.clock.pass(20)
            disk.save(text, to: path, asNewFile: false)
        case 4:
            // The old one becomes a backup, and is written again.
            disk.rename(byUser: path, to: path + "~")
            disk.save(text, to: path, asNewFile: true)
        case _:
            disk.remove(byUser: path)
            disk.save(text, to: path, asNewFile: true)
        }
    }

    /// Letters by chance: lines that differ by a letter would be taken for one that was corrected.
    private mutating func word() -> String {
        String((0..<7).map { _ in random.pick(Array("abcdefghijklmnopqrstuvwxyz")) })
    }
}

import CaretSync
import CaretWire
import TestSupport
import Testing

/// Three folders with random events: editors that read rarely and save in six ways, or take back their last
/// change, renamed files, files that become folders, kills, power cuts, a server restored from a backup, a
/// server whose data is replaced by an older copy, and a different server.
@Suite("Synced folders with random events") struct SyncRandomTests {
    @Test(
        "no line is lost or doubled, and all folders are equal in the end",
        arguments: Seeds.first(Seeds.share(of: 2_000, everyCommit: 100)))
    func nothingIsLost(seed: UInt64) async throws {
        var people = try People(seed)
        for index in people.world.folders.indices { try await people.begin(index) }
        for _ in 0..<60 { try await people.step() }
        try await people.finishEdits()
        let texts = people.world.folders.map { $0.disk.texts(in: SyncWorld.root) }
        let replay = Seeds.replay(seed, of: "SyncRandomTests.nothingIsLost")
        let server = people.world.server.texts
        for text in texts { #expect(text == server, "\(replay)") }
        let lost = people.lines.filter { line in !texts[0].values.contains { $0.holds(line) } }
        #expect(lost.isEmpty, "\(replay)")
        for text in texts[0].values {
            let doubled = Dictionary(grouping: text.split(separator: "\n"), by: \.self).filter {
                $1.count > 1
            }
            #expect(doubled.isEmpty, "\(replay)")
        }
    }
}

extension String {
    /// Whether the text has this line, in one piece or in two. Two users who write at the same place may
    /// split each other's lines.
    fileprivate func holds(_ line: String) -> Bool {
        if contains(line) { return true }
        return line.indices.dropFirst().contains { index in
            guard let start = firstRange(of: line[..<index]) else { return false }
            return self[start.upperBound...].contains(line[index...])
        }
    }
}

/// The users of the folders, and all other random events.
private struct People {
    let world: SyncWorld
    private var random: Seeded
    /// All lines that users saved. At the end, each line must be in some file.
    private(set) var lines: Set<String> = []
    private var count = 0
    /// The text that each editor last read or saved, which may be old.
    private var buffers: [Buffer: OpenText] = [:]
    private var backup: [WireString: ModelServer.Stored] = [:]
    private var stores = 1
    /// A copy of the present store.
    private var copy: [WireString: ModelServer.Stored] = [:]
    /// The folders whose machines are asleep.
    private var asleep: Set<Int> = []

    /// An open document in an editor. The key is the document and not the file name. Otherwise the editor
    /// would overwrite another document that has the name now.
    private struct Buffer: Hashable {
        var folder: Int
        var document: String
    }

    private struct OpenText {
        let name: String
        let text: String
        /// The text before the last save, and the line that this save added.
        let before: String
        let line: String
    }

    init(_ seed: UInt64) throws {
        world = try SyncWorld(folders: 3)
        random = Seeded(seed)
    }

    mutating func step() async throws {
        switch random.number(0...99) {
        case 0...34: try await save()
        case 35...39: try await takeBack()
        case 40...45: rename()
        case 46...49: swapFileAndFolder()
        case 50...56: try await kill()
        case 57...62: try await cutPower()
        case 63...65: takeCopies()
        case 66...67: try await changeServer()
        case 68...69: try await putBack()
        default: try await run(random.pick([20, 100, 400, 3_000]))
        }
    }

    // MARK: The programs

    mutating func begin(_ index: Int) async throws {
        asleep.remove(index)
        #expect(try await world.begin(index, adopting: true))
    }

    private mutating func run(_ milliseconds: Int) async throws {
        let end = world.clock.now + milliseconds
        while world.clock.now < end {
            for index in world.folders.indices where !asleep.contains(index) { try await pass(index) }
            world.clock.pass(50)
        }
    }

    private mutating func pass(_ index: Int) async throws {
        do {
            try await world.pass(index)
        } catch is StoreChanged {
            try await begin(index)
        } catch is StorePutBack {
            do {
                try await world.startOver(index)
            } catch let fault as FileFault where fault == MemoryDisk.killed {
                world.end(index)
            }
        } catch let fault as FileFault where fault == MemoryDisk.killed {
            world.end(index)
        } catch is SyncFault {
            world.end(index)
        }
    }

    private mutating func kill() async throws { try await begin(try await killAny()) }

    private mutating func cutPower() async throws {
        let index = try await killAny()
        world.folders[index].disk.cutPower(&random)
        forgetUnsynced()
        try await begin(index)
    }

    /// Kills the program of a random folder in the middle of its work. Returns the folder's index.
    private mutating func killAny() async throws -> Int {
        let index = random.number(0...2)
        world.folders[index].disk.kill(after: random.number(0...60))
        for _ in 0..<4 {
            try await pass(index)
            world.clock.pass(70)
        }
        world.end(index)
        return index
    }

    /// Forgets the lines that the power cut lost: no editor had synced them, and no server had received them.
    private mutating func forgetUnsynced() {
        let texts =
            Array(world.server.texts.values)
            + world.folders.flatMap { $0.disk.texts(in: SyncWorld.root).values }
        let there = Set(texts.flatMap { $0.split(separator: "\n").map(String.init) })
        lines.formIntersection(there)
    }

    private mutating func changeServer() async throws {
        // Lines that only the old server has would be lost, so all folders are synced first.
        try await finishEdits()
        stores += 1
        if random.chance(50) {
            await closeEditors(unlessIn: backup)
            world.server.restore(backup, as: "s\(stores)")
        } else {
            world.change(to: ModelServer(store: "s\(stores)"))
            backup = [:]
        }
        copy = world.server.backup()
        for index in world.folders.indices { try await begin(index) }
    }

    /// Copies the data of the server. No folder could be equal to a copy that has a document in a folder of the
    /// name of another document.
    private mutating func takeCopies() {
        let now = world.server.backup()
        let hasConflict = now.keys.contains { name in
            now.keys.contains { $0.utf8.starts(with: (name.string + "/").utf8) }
        }
        if !hasConflict { (backup, copy) = (now, now) }
    }

    /// Replaces the data of the server by an older copy. Some machines wake up later, when the revision numbers
    /// may have grown again.
    private mutating func putBack() async throws {
        let now = world.server.backup()
        guard let name = copy.keys.sorted().first(where: { copy[$0]?.epoch == now[$0]?.epoch }) else {
            return
        }
        // If no document has changed since the copy, nothing shows that it is older.
        addLine(to: name)
        // Lines that only the server has would be lost, so all folders are synced first.
        try await finishEdits()
        await closeEditors(unlessIn: copy)
        world.server.putBack(copy)
        asleep = Set([0, 1, 2].filter { _ in random.chance(40) })
    }

    /// Adds a line on the server, as another user would.
    private mutating func addLine(to name: WireString) {
        world.server.set(name, (world.server.texts[name.string] ?? "") + newLine() + "\n")
    }

    private mutating func newLine() -> String {
        count += 1
        return "\(count) \(word()) \(word())"
    }

    mutating func finishEdits() async throws {
        asleep = []
        for index in world.folders.indices where world.folders[index].syncer == nil { try await begin(index) }
        for round in 0..<40 {
            // A text whose revision number has grown to exactly the recorded one is compared when the document
            // changes next.
            if round == 3 {
                for name in world.server.texts.keys.sorted() { addLine(to: WireString(name)) }
            }
            try await run(4_000)
            let texts = world.folders.map { $0.disk.texts(in: SyncWorld.root) }
            if texts.allSatisfy({ $0 == world.server.texts }) { return }
        }
    }

    // MARK: The users

    private mutating func save() async throws {
        let folder = random.number(0...2)
        let disk = world.folders[folder].disk
        let there = disk.texts(in: SyncWorld.root).keys.sorted()
        let name =
            there.isEmpty || random.chance(10) ? random.pick(["one", "two", "three"]) : random.pick(there)
        let path = SyncWorld.path(name)
        // A power cut may leave an empty file. No user continues with an empty file.
        if disk.isFolder(path) || disk.text(path) == "" { return }
        let buffer = await buffer(of: name, in: folder)
        let read = buffer.flatMap { buffers[$0] }.flatMap { $0.name == name ? $0.text : nil }
        let begun = (random.chance(40) ? nil : read) ?? disk.text(path) ?? ""
        var lines = begun.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        let line = newLine()
        lines.insert(line, at: random.number(0...lines.count - 1))
        let text = lines.joined(separator: "\n")
        if let buffer {
            buffers[buffer] = OpenText(name: name, text: text, before: begun, line: line)
        } else {
            buffers = buffers.filter { $0.key.folder != folder || $0.value.name != name }
        }
        write(text, to: path, on: disk)
        self.lines.insert(line)
        if random.chance(70) { disk.syncAll() }
    }

    private func buffer(of name: String, in folder: Int) async -> Buffer? {
        let epoch = await world.folders[folder].syncer?.state.records[WireString(name)]?.head?.epoch
        // A document keeps this part of its epoch when its store is restored.
        return epoch.flatMap { StoreComparison.ownPart(of: $0) }.map { Buffer(folder: folder, document: $0) }
    }

    /// Takes back the last save of an editor, if the sync has pushed that save, and nothing has changed since.
    /// Otherwise the sync could not know what the user takes back.
    private mutating func takeBack() async throws {
        guard let (key, open) = buffers.sorted(by: { $0.value.line < $1.value.line }).first,
            await buffer(of: open.name, in: key.folder) == key,
            world.server.texts[open.name]?.contains(open.line) == true
        else { return }
        let disk = world.folders[key.folder].disk
        let path = SyncWorld.path(open.name)
        if disk.text(path) != open.text || open.before == "" { return }
        lines.remove(open.line)
        buffers[key] = nil
        write(open.before, to: path, on: disk)
        disk.syncAll()
    }

    /// Closes the editors whose file will be compared with another document.
    private mutating func closeEditors(unlessIn copy: [WireString: ModelServer.Stored]) async {
        for (key, open) in buffers {
            let there = (copy[WireString(open.name)]?.epoch).flatMap { StoreComparison.ownPart(of: $0) }
            let isSame =
                await buffer(of: open.name, in: key.folder) == key && there ?? key.document == key.document
            if !isSame { buffers[key] = nil }
        }
    }

    /// Saves in one of the ways that editors use.
    private mutating func write(_ text: String, to path: String, on disk: MemoryDisk) {
        switch random.number(0...5) {
        case 0: disk.save(text, to: path, asNewFile: false)
        case 1: disk.save(text, to: path, asNewFile: true)
        case 2:
            // Truncates the file first.
            disk.save("", to: path, asNewFile: false)
            disk.save(text, to: path, asNewFile: false)
        case 3:
            // Writes the file in two pieces.
            disk.save(String(text.prefix(text.count / 2)), to: path, asNewFile: false)
            world.clock.pass(20)
            disk.save(text, to: path, asNewFile: false)
        case 4:
            // Renames the old file to a backup, and writes a new one.
            disk.rename(byUser: path, to: path + "~")
            disk.save(text, to: path, asNewFile: true)
            disk.remove(byUser: path + "~")
            disk.syncAll()
        case _:
            disk.remove(byUser: path)
            disk.save(text, to: path, asNewFile: true)
            // An editor that removes the old file must wait for the disk, or a power cut loses both files.
            disk.syncAll()
        }
    }

    // MARK: Names

    private mutating func rename() {
        let folder = random.number(0...2)
        let disk = world.folders[folder].disk
        let there = disk.texts(in: SyncWorld.root).keys.sorted().filter { !$0.contains("/") }
        if there.isEmpty { return }
        count += 1
        let new = SyncWorld.path("renamed \(count)")
        disk.rename(byUser: SyncWorld.path(random.pick(there)), to: new)
        namesChanged(in: folder)
    }

    /// Moves a file into a folder of its name, or back.
    private mutating func swapFileAndFolder() {
        let folder = random.number(0...2)
        let disk = world.folders[folder].disk
        let there = disk.texts(in: SyncWorld.root).keys.sorted()
        if there.isEmpty { return }
        let name = random.pick(there)
        let end = "/inside"
        let outer = SyncWorld.path(name.hasSuffix(end) ? String(name.dropLast(end.count)) : name)
        if name.hasSuffix(end) {
            if there.count(where: { SyncWorld.path($0).hasPrefix(outer + "/") }) > 1 { return }
            disk.rename(byUser: outer + end, to: outer + "~")
            disk.remove(byUser: outer)
            disk.rename(byUser: outer + "~", to: outer)
        } else if !name.contains("/") {
            disk.rename(byUser: outer, to: outer + "~")
            disk.makeFolder(byUser: outer)
            disk.rename(byUser: outer + "~", to: outer + end)
        }
        namesChanged(in: folder)
    }

    /// Closes all editors of a folder. Otherwise an editor with the old name open could overwrite a text that
    /// another editor saves under the new name. The sync could not notice that this text is lost.
    private mutating func namesChanged(in folder: Int) {
        buffers = buffers.filter { $0.key.folder != folder }
        world.folders[folder].disk.syncAll()
    }

    /// A random word. It has seven letters, because two lines that differ by only one letter would count as
    /// one corrected line.
    private mutating func word() -> String {
        String((0..<7).map { _ in random.pick(Array("abcdefghijklmnopqrstuvwxyz")) })
    }
}

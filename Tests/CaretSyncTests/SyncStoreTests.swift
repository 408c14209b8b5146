import CaretSync
import CaretWire
import Testing

/// A synced folder whose server has a different store than before.
@Suite("Synced folders whose server has another store, and their trash") struct SyncStoreTests {
    private func world(_ texts: [String: String]) async throws -> SyncWorld {
        let world = try SyncWorld()
        try await world.begin(0)
        for (name, text) in texts { world.save(text, to: name) }
        try await world.run(1_000)
        #expect(world.server.texts == texts)
        return world
    }

    private func files(_ world: SyncWorld) -> [String: String] { world.disk.texts(in: SyncWorld.root) }

    /// Rule T6.
    @Test("sync recognises another server by its store, and changes nothing")
    func otherServer() async throws {
        for texts in [["one": "1\n"], ["one": "1\n", "two": "2\n"]] {
            let world = try await world(texts)
            let other = ModelServer(store: "s2")
            other.set("one", "of somebody else\n")
            world.change(to: other)
            #expect(try await world.begin(0) == false)
            #expect(files(world) == texts)
            #expect(other.texts == ["one": "of somebody else\n"])
        }
    }

    @Test("a folder that adopts another server loses no line of any text")
    func adopted() async throws {
        let world = try await world(["one": "mine\n", "two": "2\n"])
        let other = ModelServer(store: "s2")
        other.set("one", "of somebody else\n")
        other.set("three", "3\n")
        world.change(to: other)
        #expect(try await world.begin(0, adopting: true))
        try await world.run(2_000)
        #expect(files(world) == other.texts)
        #expect(Set(other.texts.keys) == ["one", "two", "three"])
        #expect(other.texts["one"].map { Set($0.split(separator: "\n")) } == ["mine", "of somebody else"])
    }

    /// Another folder with the same lines is synced while the first push of this sync waits.
    @Test(
        "lines that are in two folders are not doubled by a first sync that was interrupted",
        arguments: [false, true], ["", "a later line\n"])
    func interruptedFirstSync(isKilled: Bool, later: String) async throws {
        let world = try SyncWorld()
        world.server.set("list", "the line of the server\n")
        world.save("the line of the folders\n", to: "list")
        try await world.begin(0)
        world.server.refuse("push", with: [.overloaded])
        try await world.run(500)
        #expect(world.server.pushes.count == 1)
        if isKilled { world.end(0) }
        world.server.set("list", "the line of the server\nthe line of the folders\n" + later)
        if isKilled { try await world.begin(0) }
        try await world.run(5_000)
        #expect(files(world) == ["list": "the line of the server\nthe line of the folders\n" + later])
        #expect(world.server.texts == files(world))
    }

    @Test("a restored backup removes nothing from a folder with newer texts")
    func restored() async throws {
        let world = try await world(["old": "1\n", "changed": "1\n", "gone": "1\n"])
        let backup = world.server.backup()
        world.save("1\n2\n", to: "changed")
        world.save("new\n", to: "new")
        world.disk.remove(byUser: SyncWorld.path("gone"))
        try await world.run(4_000)
        #expect(Set(world.server.texts.keys) == ["old", "changed", "new"])
        world.server.restore(backup, as: "s1b")
        world.end(0)
        #expect(try await world.begin(0))
        try await world.run(4_000)
        let wanted = ["old": "1\n", "changed": "1\n2\n", "new": "new\n", "gone": "1\n"]
        #expect(files(world) == wanted)
        #expect(world.server.texts == wanted)
    }

    @Test("a running sync stops at the first document of another store")
    func whileRunning() async throws {
        let world = try await world(["old": "1\n"])
        let backup = world.server.backup()
        world.save("1\n2\n", to: "old")
        try await world.run(1_000)
        world.server.restore(backup, as: "s1b")
        let syncer = try #require(world.folders[0].syncer)
        await #expect(throws: StoreChanged.self) {
            for news in world.server.beginning(for: 0) { try await syncer.apply(news) }
        }
    }

    private func state(_ world: SyncWorld, prefix: String = "") throws -> SyncState {
        try SyncState(in: SyncWorld.root, prefix: prefix, on: world.disk, clock: world.clock.forSync)
    }

    @Test("a store is recognised as the same, restored, different or the first")
    func comparisons() async throws {
        func outcome(
            _ state: SyncState, _ store: String, _ documents: Set<String>
        ) -> StoreComparison.Outcome {
            StoreComparison(store: store, documents: documents).outcome(on: state)
        }
        var new = try state(try SyncWorld())
        #expect(outcome(new, "s1", []) == .first)
        try new.bind(to: "s1")
        // No file was synced with a document of the old store.
        #expect(outcome(new, "s2", ["s1-1"]) == .first)
        let synced = try state(try await world(["one": "1\n"]))
        #expect(outcome(synced, "s1", []) == .same)
        #expect(outcome(synced, "s2", ["s1-1", "s2-1"]) == .restored)
        #expect(outcome(synced, "s2", ["s2-1"]) == .other(known: "s1"))
        for (epoch, part) in [("s.1", "1"), ("s.1.2", "1.2"), ("s", nil), ("", nil)] {
            #expect(StoreComparison.ownPart(of: epoch) == part)
        }
    }

    @Test("if no store is recorded, the epochs of the documents show the store")
    func oldState() async throws {
        let world = try await world(["one": "1\n"])
        world.disk.remove(byUser: SyncWorld.path(".caret/store"))
        #expect(try state(world).store == "s1")
    }

    @Test("a state folder with another prefix or a damaged record is refused")
    func refusedState() async throws {
        let world = try await world(["one": "1\n"])
        let folder = SyncWorld.path(".caret")
        #expect(throws: SyncFault.otherPrefix("", root: SyncWorld.root, stateFolder: folder)) {
            try state(world, prefix: "p/")
        }
        world.disk.save("{", to: folder + "/files/1.json", asNewFile: true)
        #expect(throws: SyncFault.unreadableRecord(folder + "/files/1.json", stateFolder: folder)) {
            try state(world)
        }
    }

    @Test("a sync ends if its state folder is removed, and deletes no document")
    func removedState() async throws {
        let world = try await world(["one": "1\n"])
        world.disk.remove(byUser: SyncWorld.root)
        await #expect(throws: SyncFault.stateFolderRemoved(SyncWorld.root)) { try await world.pass() }
        #expect(world.server.texts == ["one": "1\n"])
    }

    @Test("a file whose document was deleted elsewhere goes into the trash")
    func trash() async throws {
        let world = try await world(["one": "1\n"])
        try await world.server.delete("one")
        try await world.run(3_000)
        #expect(files(world) == [:])
        let trash = try SyncTrash(in: SyncWorld.root, on: world.disk)
        let item = try #require(trash.items.first)
        #expect(item.path == "one")
        #expect(item.reason == .deleted)
        #expect(try trash.bytes(of: item) == Array("1\n".utf8))
    }

    @Test("if a document is created again, its old text goes into the trash")
    func madeAgain() async throws {
        let world = try await world(["one": "first\n"])
        world.end(0)
        try await world.server.delete("one")
        world.server.set("one", "second\n")
        try await world.begin(0)
        try await world.run(2_000)
        #expect(files(world) == ["one": "second\n"])
        let trash = try SyncTrash(in: SyncWorld.root, on: world.disk)
        #expect(trash.items.map(\.reason) == [.replaced])
        #expect(try trash.items.map { try trash.bytes(of: $0) } == [Array("first\n".utf8)])
    }

    @Test("the trash removes a text only when it is older than the time limit")
    func trashTime() async throws {
        let world = try SyncWorld()
        try await world.begin(0)
        var trash = try SyncTrash(in: SyncWorld.root, on: world.disk)
        let time = SyncTrash.Limit.time
        for (number, at, kept) in [(1, 0, [1]), (2, time, [1, 2]), (3, time + 1, [2, 3])] {
            try trash.keep([], .init(number: number, path: "p", reason: .late, at: at, bytes: 0))
            #expect(trash.items.map(\.number) == kept)
        }
    }

    @Test("the trash keeps the newest texts, up to its limits")
    func trashBounds() async throws {
        let world = try SyncWorld()
        try await world.begin(0)
        var trash = try SyncTrash(in: SyncWorld.root, on: world.disk)
        let count = SyncTrash.Limit.count
        for number in 1...count + 5 {
            try trash.keep(
                [UInt8(ascii: "x")], .init(number: number, path: "p", reason: .late, at: 0, bytes: 1))
        }
        #expect(trash.items.map(\.number) == Array(6...count + 5))
        #expect(try SyncTrash(in: SyncWorld.root, on: world.disk).items == trash.items)
        try trash.keep(
            [], .init(number: 9_999, path: "p", reason: .late, at: SyncTrash.Limit.time + 1, bytes: 0))
        #expect(trash.items.map(\.number) == [9_999])
        try trash.keep(
            [],
            .init(
                number: 10_000, path: "p", reason: .late, at: SyncTrash.Limit.time + 1,
                bytes: SyncTrash.Limit.bytes))
        #expect(trash.items.map(\.number) == [9_999, 10_000])
        try trash.keep(
            [], .init(number: 10_001, path: "p", reason: .late, at: SyncTrash.Limit.time + 1, bytes: 1))
        #expect(trash.items.map(\.number) == [10_001])
    }
}

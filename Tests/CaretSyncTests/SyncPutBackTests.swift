import CaretSync
import CaretWire
import Testing

/// The whole data folder of a server is replaced by an older copy while syncs run. The server does not notice,
/// so its store and its epochs stay the same.
@Suite("Synced folders whose server has an older copy of its data") struct SyncPutBackTests {
    private func world(_ texts: [String: String]) async throws -> SyncWorld {
        let world = try SyncWorld()
        try await world.begin(0)
        for (name, text) in texts { world.save(text, to: name) }
        try await world.run(1_000)
        return world
    }

    /// Runs like `caret sync`, and returns how often the server turned out to have older data.
    @discardableResult
    private func run(_ world: SyncWorld) async throws -> Int {
        var count = 0
        while true {
            do {
                try await world.run(5_000)
                return count
            } catch is StorePutBack {
                count += 1
                try await world.startOver(0)
            }
        }
    }

    private func expect(_ world: SyncWorld, _ lines: [String: Set<Substring>]) {
        let texts = world.disk.texts(in: SyncWorld.root)
        #expect(texts == world.server.texts)
        #expect(texts.mapValues { Set($0.split(separator: "\n")) } == lines)
        for text in texts.values {
            #expect(Set(text.split(separator: "\n")).count == text.split(separator: "\n").count)
        }
    }

    /// Adds each line to the document `list` in a revision of its own, and returns them.
    private func add(_ lines: [String], to world: SyncWorld) -> Set<Substring> {
        for line in lines { world.server.set("list", (world.server.texts["list"] ?? "") + line + "\n") }
        return Set(lines.map { $0[...] })
    }

    /// The server's document is changed `again` times after the older copy was put back.
    @Test(
        "the next save removes no line that the folder showed, and no file is removed", arguments: [0, 1, 2])
    func putBack(again: Int) async throws {
        let world = try await world(["list": "1\n"])
        let copy = world.server.backup()
        world.server.set("list", "1\nshown\n")
        world.save("new\n", to: "made since")
        try await run(world)
        world.server.putBack(copy)
        let new = add((0..<again).map { "again \($0)" }, to: world)
        world.save("1\nshown\nmine\n", to: "list")
        #expect(try await run(world) == 1)
        expect(world, ["list": new.union(["1", "shown", "mine"]), "made since": ["new"]])
    }

    @Test("a program that starts later recognises the older copy too", arguments: [0, 1, 2])
    func notRunning(again: Int) async throws {
        let world = try await world(["list": "1\n", "other": "1\n"])
        let copy = world.server.backup()
        world.server.set("list", "1\nshown\n")
        world.save("new\n", to: "made since")
        try await run(world)
        world.end(0)
        world.server.putBack(copy)
        let new = add((0..<again).map { "again \($0)" }, to: world)
        try await world.begin(0)
        #expect(try await run(world) == 1)
        expect(world, ["list": new.union(["1", "shown"]), "other": ["1"], "made since": ["new"]])
    }

    @Test("a kill while a folder starts over removes no line and no file, whichever disk call is next")
    func killedWhileStartingOver() async throws {
        var (calls, isKilled) = (0, true)
        while isKilled {
            let world = try await world(["list": "1\n", "other": "1\n"])
            let copy = world.server.backup()
            world.server.set("list", "1\nshown\n")
            world.save("new\n", to: "made since")
            try await run(world)
            world.server.putBack(copy)
            await #expect(throws: StorePutBack.self) { try await world.run(5_000) }
            world.disk.kill(after: calls)
            do {
                try await world.startOver(0)
                isKilled = false
            } catch let fault as FileFault where fault == MemoryDisk.killed {
                world.end(0)
                try await world.begin(0)
            }
            try await run(world)
            expect(world, ["list": ["1", "shown"], "other": ["1"], "made since": ["new"]])
            calls += 1
        }
        #expect(calls > 10)
    }

    @Test("a push that a kill interrupted is not sent to the older copy")
    func interruptedPush() async throws {
        let world = try await world(["list": "1\n"])
        let copy = world.server.backup()
        world.server.set("list", "1\nshown\n")
        try await run(world)
        world.save("1\nshown\nmine\n", to: "list")
        world.server.refuse("push", with: [.overloaded])
        try await world.run(100)
        world.server.putBack(copy)
        world.server.set("list", "1\nagain\n")
        let sent = world.server.pushes.count
        await #expect(throws: StorePutBack.self) { try await world.run(5_000) }
        #expect(world.server.pushes.count == sent)
        try await world.startOver(0)
        try await run(world)
        expect(world, ["list": ["1", "shown", "mine", "again"]])
    }

    /// A file is compared with the server's old text, and its earlier texts must still be known.
    @Test(
        "an editor with an older text removes no line after the server has an older copy",
        arguments: [0, 1, 2])
    func olderEditor(again: Int) async throws {
        let world = try await world(["list": "1\n"])
        let copy = world.server.backup()
        world.server.set("list", "1\nshown since\n")
        try await run(world)
        world.server.putBack(copy)
        let new = add((0..<again).map { "again number \($0)" } + ["later"], to: world)
        try await run(world)
        world.save("1\nmine\n", to: "list")
        try await run(world)
        expect(world, ["list": new.union(["1", "shown since", "mine"])])
    }

    @Test("a text that was read, but is not in the file yet, is not lost with the server's newer data")
    func notYetWritten() async throws {
        let world = try await world(["list": "1\n"])
        let copy = world.server.backup()
        // An editor has emptied the file, and is about to write it.
        world.save("", to: "list")
        world.server.set("list", "1\nshown since\n")
        try await world.run(500)
        world.server.putBack(copy)
        world.server.set("list", "1\nagain\n")
        world.save("1\nmine\n", to: "list")
        try await run(world)
        expect(world, ["list": ["1", "shown since", "again", "mine"]])
    }

    @Test("a document that had another name in the older copy is compared too")
    func formerName() async throws {
        let world = try await world(["list": "1\n"])
        let copy = world.server.backup()
        try await world.server.rename("list", to: "new name")
        world.server.set("new name", "1\nshown since\n")
        try await run(world)
        world.server.putBack(copy)
        world.save("mine\n", to: "list")
        #expect(try await run(world) == 1)
        expect(world, ["list": ["1", "mine"], "new name": ["1", "shown since"]])
    }

    @Test("while there is no connection, no push waits to be sent to another state of the store")
    func offline() async throws {
        let world = try await world(["list": "1\n"])
        let sent = world.server.pushes.count
        world.server.setConnected(false)
        world.save("1\nmine\n", to: "list")
        try await world.run(5_000)
        #expect(world.server.pushes.count == sent)
        world.server.setConnected(true)
        #expect(try await run(world) == 0)
        #expect(world.server.texts == ["list": "1\nmine\n"])
    }

    @Test("after a reconnect to the same data, changes and deletions elsewhere are carried over")
    func sameData() async throws {
        let world = try await world(["changed": "1\n", "deleted": "1\n", "same": "1\n"])
        world.server.putBack(world.server.backup())
        world.server.set("changed", "1\n2\n")
        try await world.server.delete("deleted")
        #expect(try await run(world) == 0)
        #expect(world.disk.texts(in: SyncWorld.root) == ["changed": "1\n2\n", "same": "1\n"])
    }

    @Test("a text whose history was trimmed is not taken for an older state")
    func trimmed() async throws {
        let world = try await world(["list": "1\n"])
        world.server.putBack(world.server.backup())
        world.server.set("list", "1\n2\n")
        world.server.trim("list")
        #expect(try await run(world) == 0)
        #expect(world.disk.texts(in: SyncWorld.root) == ["list": "1\n2\n"])
    }

    @Test("an idle folder is compared without reading any text")
    func idle() async throws {
        let world = try await world(["one": "1\n", "two": "2\n"])
        let before = world.server.requests
        world.server.putBack(world.server.backup())
        try await run(world)
        #expect(world.server.requests == before)
    }
}

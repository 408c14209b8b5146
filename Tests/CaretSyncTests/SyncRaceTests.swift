import CaretSync
import CaretWire
import Testing

/// The server sends the events of a request, and of later changes by others, before the answer to the
/// request.
@Suite("Events that arrive during a request of a sync") struct SyncRaceTests {
    private func world(_ texts: [String: String]) async throws -> SyncWorld {
        let world = try SyncWorld()
        try await world.begin(0)
        world.disk.makeFolder(byUser: SyncWorld.path("x"))
        for (name, text) in texts { world.save(text, to: name) }
        try await world.run(2_000)
        return world
    }

    /// Makes others change something once, after the next request of this type. The sync receives all events
    /// before the answer to this request.
    private func race(
        _ world: SyncWorld, after request: String,
        _ others: @escaping @Sendable (ModelServer) -> Void = { _ in }
    ) {
        let (server, syncer) = (world.server, world.folders[0].syncer)
        server.watchAnswers { [weak server] name in
            guard name == request, let server else { return }
            others(server)
            for news in server.removeNews(of: 0) { try await syncer?.apply(news) }
        }
    }

    private func expect(_ world: SyncWorld, _ wanted: [String: String]) async {
        #expect(world.disk.texts(in: SyncWorld.root) == wanted)
        #expect(world.server.texts == wanted)
        let known = await world.folders[0].syncer?.news.documents.keys.map(\.string).sorted()
        #expect(known == wanted.keys.sorted())
    }

    @Test("a line that others have added just before a first push is not doubled")
    func sameLine() async throws {
        let world = try SyncWorld()
        world.save("1\nshown\nmine\n", to: "list")
        world.server.set("list", "1\n")
        world.server.watch { [weak server = world.server] request in
            if request == "push", server?.texts["list"] == "1\n" { server?.set("list", "1\nshown\n") }
        }
        try await world.begin(0)
        try await world.run(3_000)
        await expect(world, ["list": "1\nshown\nmine\n"])
    }

    @Test("a new document is not read, if its event comes before the ack")
    func notRead() async throws {
        let world = try await world([:])
        race(world, after: "push")
        world.save("new\n", to: "new")
        try await world.run(2_000)
        await expect(world, ["new": "new\n"])
        #expect(world.server.requests["read"] == nil)
    }

    @Test("a new document that others delete before its ack is read, and its file removed")
    func deletedBeforeAck() async throws {
        let world = try await world([:])
        world.server.watchAnswers { [weak server = world.server, syncer = world.folders[0].syncer] name in
            guard name == "push", let server, server.texts["new"] != nil else { return }
            try await server.delete("new")
            for news in server.removeNews(of: 0) { try await syncer?.apply(news) }
        }
        world.save("new\n", to: "new")
        try await world.run(5_000)
        await expect(world, [:])
        #expect(world.server.requests["read"] == 1)
    }

    @Test("a document created while an old one is deleted gets a file")
    func madeDuringDeletion() async throws {
        let world = try await world(["file": "old\n"])
        race(world, after: "delete") { $0.set("file", "new\n") }
        world.disk.remove(byUser: SyncWorld.path("file"))
        try await world.run(5_000)
        await expect(world, ["file": "new\n"])
    }

    @Test("a document created while an old one is renamed gets a file")
    func madeDuringRename() async throws {
        let world = try await world(["file": "text\n"])
        race(world, after: "rename") { $0.set("file", "another\n") }
        world.disk.rename(byUser: SyncWorld.path("file"), to: SyncWorld.path("new"))
        try await world.run(5_000)
        await expect(world, ["file": "another\n", "new": "text\n"])
    }

    @Test("a rename is applied once, even if its event comes before the answer")
    func eventBeforeAnswer() async throws {
        let world = try await world(["file": "text\n"])
        race(world, after: "rename")
        world.disk.rename(byUser: SyncWorld.path("file"), to: SyncWorld.path("new"))
        let reads = world.server.requests["read"]
        try await world.run(5_000)
        await expect(world, ["new": "text\n"])
        #expect(world.server.requests["rename"] == 1)
        #expect(world.server.requests["read"] == reads)
    }

    @Test(
        "a document renamed by the sync keeps its name in any order of events",
        arguments: [false, true])
    func movedAside(isEventFirst: Bool) async throws {
        let world = try await world(["x/y": "in it\n"])
        if isEventFirst { race(world, after: "rename") }
        world.disk.remove(byUser: SyncWorld.path("x/y"))
        world.disk.remove(byUser: SyncWorld.path("x"))
        world.save("a file\n", to: "x")
        world.server.set("x/y", "in it\nchanged by the other one\n")
        try await world.run(10_000)
        await expect(world, ["x (folder)/y": "in it\nchanged by the other one\n", "x": "a file\n"])
    }
}

import CaretSync
import CaretWire
import Testing

@Suite("Passes of a sync") struct SyncPassTests {
    private func world() async throws -> SyncWorld {
        let world = try SyncWorld()
        try await world.begin(0)
        return world
    }

    @Test("a pass returns the time until the next file or scan is due")
    func pauses() async throws {
        let world = try await world()
        #expect(try await world.pass() == 10_000)
        world.save("a\n", to: "file")
        #expect(try await world.pass() == SyncDecision.QuietTime.text)
        world.clock.pass(60)
        #expect(try await world.pass() == SyncDecision.QuietTime.newFile - 60)
        world.clock.pass(240)
        #expect(try await world.pass() == 10_000)
        #expect(world.server.texts == ["file": "a\n"])
    }

    @Test("a file that was saved before the start is pushed at once")
    func oldFile() async throws {
        let world = try SyncWorld()
        world.save("a\n", to: "file")
        world.clock.pass(3_600_000)
        try await world.begin(0)
        let syncer = try #require(world.folders[0].syncer)
        #expect(try await syncer.pass(nil, once: true) == nil)
        #expect(world.server.texts == ["file": "a\n"])
    }

    @Test("`sync --once` waits for a file that was just saved, and then ends")
    func once() async throws {
        let world = try await world()
        let syncer = try #require(world.folders[0].syncer)
        world.save("a\n", to: "file")
        #expect(try await syncer.pass(nil, once: true) == SyncDecision.QuietTime.text)
        world.clock.pass(300)
        #expect(try await syncer.pass(nil, once: true) == nil)
        #expect(world.server.texts == ["file": "a\n"])
    }

    @Test("a changed file is checked without a scan of the folder")
    func changedFile() async throws {
        let world = try await world()
        let syncer = try #require(world.folders[0].syncer)
        #expect(try await syncer.pass(nil, once: false) == 10_000)
        for name in ["one", "two"] { world.save("a\n", to: name) }
        await syncer.changed(FolderWatch.Changes(files: ["one"]))
        #expect(try await syncer.pass(nil, once: false) == SyncDecision.QuietTime.text)
        world.clock.pass(300)
        #expect(try await syncer.pass(nil, once: false) == 9_700)
        #expect(world.server.texts == ["one": "a\n"])
        world.clock.pass(9_700)
        _ = try await syncer.pass(nil, once: false)
        world.clock.pass(300)
        _ = try await syncer.pass(nil, once: false)
        #expect(world.server.texts == ["one": "a\n", "two": "a\n"])
    }

    @Test("a file saved while sync prepares a new text is not overwritten")
    func savedBeforeReplacement() async throws {
        let world = try await world()
        world.save("a\n", to: "file")
        try await world.run(1_000)
        world.server.set("file", "elsewhere\na\n")
        let disk = world.disk
        disk.watch { [weak disk] call in
            guard call.name == "write", call.path.hasPrefix(SyncWorld.path(".caret/swap/")) else { return }
            disk?.watch(nil)
            disk?.save("a\nhere\n", to: SyncWorld.path("file"), asNewFile: false)
        }
        try await world.run(5_000)
        #expect(world.text("file") == "elsewhere\na\nhere\n")
        #expect(
            world.reports.map { $0.report } == [
                .pushed(revision: 1), .pushed(revision: 3), .written(revision: 3, by: []),
            ])
    }

    @Test("each change of a file is reported once, in order")
    func reports() async throws {
        let world = try await world()
        world.save("a\n", to: "file")
        try await world.run(1_000)
        world.server.set("file", "a\nb\n")
        try await world.run(5_000)
        world.disk.rename(byUser: SyncWorld.path("file"), to: SyncWorld.path("new"))
        try await world.run(5_000)
        try await world.server.rename("new", to: "other")
        try await world.run(5_000)
        world.disk.remove(byUser: SyncWorld.path("other"))
        try await world.run(5_000)
        world.save("x\n", to: "x")
        try await world.run(1_000)
        try await world.server.delete("x")
        try await world.run(5_000)
        #expect(
            world.reports.map { $0.report } == [
                .pushed(revision: 1), .written(revision: 2, by: []), .renamedHere(to: "new"),
                .renamedElsewhere(to: "other"), .deletedHere, .pushed(revision: 1), .deletedElsewhere,
            ])
        #expect(world.reports.map { $0.path } == ["file", "file", "file", "new", "other", "x", "x"])
    }
}

import CaretSync
import CaretWire
import Testing

/// An editor holds a text that has changed in the file meanwhile, and saves. All times are those of a fake clock.
@Suite("Editors that have not read what came") struct SyncEditorTests {
    /// A world in which a file and its document have a text, and then somebody else changes it.
    private func world(_ text: String, changedTo new: String) async throws -> SyncWorld {
        let world = try SyncWorld()
        try await world.begin(0)
        world.save(text, to: "list")
        try await world.run(1_000)
        world.server.set("list", new)
        try await world.run(500)
        #expect(world.text("list") == new)
        return world
    }

    @Test(
        "a save from an editor that has not seen a change keeps the change, however long it waits",
        arguments: [1, 3, 10, 600, 7_200], [true, false])
    func staleSave(seconds: Int, asNewFile: Bool) async throws {
        let world = try await world("milk\n", changedTo: "milk\nbread and butter\n")
        try await world.rest(seconds * 1_000 - 500)
        world.save("milk\noats\n", to: "list", asNewFile: asNewFile)
        try await world.run(1_000)
        #expect(world.text("list") == world.server.texts["list"])
        #expect(
            world.text("list").map { $0.split(separator: "\n").sorted() } == [
                "bread and butter", "milk", "oats",
            ])
    }

    @Test(
        "a line that is deleted on purpose stays deleted, however soon or late",
        arguments: [1, 3, 10, 600, 7_200], [true, false])
    func deletion(seconds: Int, asNewFile: Bool) async throws {
        let world = try await world("milk\n", changedTo: "milk\nbread and butter\n")
        try await world.rest(seconds * 1_000 - 500)
        world.save("milk\n", to: "list", asNewFile: asNewFile)
        try await world.rest(10_000)
        #expect(world.text("list") == "milk\n")
        #expect(world.server.texts["list"] == "milk\n")
    }

    @Test(
        "an editor that never reads its file again keeps everybody's lines, save after save",
        arguments: [1, 600])
    func neverReads(seconds: Int) async throws {
        let world = try await world("a\n", changedTo: "a\n")
        var (buffer, elsewhere) = ("a\n", 0)
        for round in 0..<12 {
            buffer += "mine, number \(round)\n"
            world.save(buffer, to: "list", asNewFile: round % 2 == 0)
            try await world.rest(seconds * 1_000)
            if round % 3 == 0 {
                elsewhere += 1
                world.server.set("list", "theirs, number \(round)\n" + (world.server.texts["list"] ?? ""))
                try await world.rest(seconds * 1_000)
            }
        }
        let lines = world.text("list").map { $0.split(separator: "\n") } ?? []
        #expect(lines.count == 1 + 12 + elsewhere)
        #expect(Set(lines).count == lines.count)
        #expect(world.server.texts["list"] == world.text("list"))
    }

    @Test(
        "an editor of a file that was deleted and came back, since others had changed it, keeps their lines")
    func cameBack() async throws {
        let world = try await world("milk\n", changedTo: "milk\n")
        world.disk.remove(byUser: SyncWorld.path("list"))
        world.server.set("list", "milk\nbread and butter\n")
        try await world.rest(10_000)
        #expect(world.text("list") == "milk\nbread and butter\n")
        try await expectMerge(world)
    }

    /// An editor that has not read the second line adds a third one.
    private func expectMerge(_ world: SyncWorld) async throws {
        world.save("milk\noats\n", to: "list")
        try await world.run(1_000)
        #expect(
            world.text("list").map { $0.split(separator: "\n").sorted() } == [
                "bread and butter", "milk", "oats",
            ])
    }

    @Test("the older texts are kept over a restart of the program")
    func restart() async throws {
        let world = try await world("milk\n", changedTo: "milk\nbread and butter\n")
        try await world.rest(600_000)
        world.end(0)
        try await world.begin(0)
        try await expectMerge(world)
    }

    @Test("what a program writes into the old file, which it has open, comes into the new one")
    func openFile() async throws {
        let world = try SyncWorld()
        try await world.begin(0)
        world.save("a\n", to: "log")
        try await world.run(1_000)
        let file = try #require(world.disk.number(of: SyncWorld.path("log")))
        world.server.set("log", "from elsewhere\na\n")
        try await world.run(500)
        world.disk.write("a\nb\n", intoFile: file)
        try await world.rest(10_000)
        #expect(world.text("log") == "from elsewhere\na\nb\n")
        // It goes on from its own text.
        world.save("a\nb\nc\n", to: "log")
        try await world.rest(10_000)
        #expect(world.text("log") == "from elsewhere\na\nb\nc\n")
    }

    @Test("no more older texts are kept than their bounds say, and none for longer than a day")
    func bounds() async throws {
        let world = try await world("a\n", changedTo: "b\n")
        for number in 0..<SyncRecord.Keeping.count + 10 {
            world.server.set("list", "text \(number)\n")
            try await world.run(4_000)
        }
        let kept = { world.disk.everything.count { $0.hasPrefix("text ") } }
        #expect(kept() == SyncRecord.Keeping.count + 1)
        try await world.rest(SyncRecord.Keeping.time + 60_000)
        #expect(kept() == 1)
    }
}

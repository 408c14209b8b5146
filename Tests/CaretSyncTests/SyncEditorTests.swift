import CaretSync
import CaretWire
import Testing

/// An editor has an old text open, the file changes, and the editor saves. All times come from a fake clock.
@Suite("Editors with an outdated text") struct SyncEditorTests {
    /// A world where a file and its document have a text, and then another user changes the document.
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
        "a late save of an outdated text keeps the changes of others",
        arguments: [1, 3, 10, 600, 7_200], [true, false])
    func staleSave(seconds: Int, asNewFile: Bool) async throws {
        let world = try await world("milk\n", changedTo: "milk\nbread and butter\n")
        try await world.idle(seconds * 1_000 - 500)
        world.save("milk\noats\n", to: "list", asNewFile: asNewFile)
        try await world.run(1_000)
        #expect(world.text("list") == world.server.texts["list"])
        #expect(
            world.text("list").map { $0.split(separator: "\n").sorted() } == [
                "bread and butter", "milk", "oats",
            ])
    }

    @Test(
        "a line deleted in the editor stays deleted, however old the line is",
        arguments: [1, 3, 10, 600, 7_200], [true, false])
    func deletion(seconds: Int, asNewFile: Bool) async throws {
        let world = try await world("milk\n", changedTo: "milk\nbread and butter\n")
        try await world.idle(seconds * 1_000 - 500)
        world.save("milk\n", to: "list", asNewFile: asNewFile)
        try await world.idle(10_000)
        #expect(world.text("list") == "milk\n")
        #expect(world.server.texts["list"] == "milk\n")
    }

    @Test(
        "an editor that never reads its file again removes no line of others",
        arguments: [1, 600])
    func neverReads(seconds: Int) async throws {
        let world = try await world("a\n", changedTo: "a\n")
        var (buffer, elsewhere) = ("a\n", 0)
        for round in 0..<12 {
            buffer += "mine, number \(round)\n"
            world.save(buffer, to: "list", asNewFile: round % 2 == 0)
            try await world.idle(seconds * 1_000)
            if round % 3 == 0 {
                elsewhere += 1
                world.server.set("list", "theirs, number \(round)\n" + (world.server.texts["list"] ?? ""))
                try await world.idle(seconds * 1_000)
            }
        }
        let lines = world.text("list").map { $0.split(separator: "\n") } ?? []
        #expect(lines.count == 1 + 12 + elsewhere)
        #expect(Set(lines).count == lines.count)
        #expect(world.server.texts["list"] == world.text("list"))
    }

    @Test(
        "if others bring a deleted file back, a save keeps their lines")
    func cameBack() async throws {
        let world = try await world("milk\n", changedTo: "milk\n")
        world.disk.remove(byUser: SyncWorld.path("list"))
        world.server.set("list", "milk\nbread and butter\n")
        try await world.idle(10_000)
        #expect(world.text("list") == "milk\nbread and butter\n")
        try await expectMerge(world)
    }

    /// Saves a third line from an editor that has not read the second one.
    private func expectMerge(_ world: SyncWorld) async throws {
        world.save("milk\noats\n", to: "list")
        try await world.run(1_000)
        #expect(
            world.text("list").map { $0.split(separator: "\n").sorted() } == [
                "bread and butter", "milk", "oats",
            ])
    }

    @Test("older texts survive a restart of the program")
    func restart() async throws {
        let world = try await world("milk\n", changedTo: "milk\nbread and butter\n")
        try await world.idle(600_000)
        world.end(0)
        try await world.begin(0)
        try await expectMerge(world)
    }

    @Test("a write into a replaced file that is still open reaches the new file")
    func openFile() async throws {
        let world = try SyncWorld()
        try await world.begin(0)
        world.save("a\n", to: "log")
        try await world.run(1_000)
        let file = try #require(world.disk.number(of: SyncWorld.path("log")))
        world.server.set("log", "from elsewhere\na\n")
        try await world.run(500)
        world.disk.write("a\nb\n", intoFile: file)
        try await world.idle(10_000)
        #expect(world.text("log") == "from elsewhere\na\nb\n")
        // The program has not read the line from elsewhere. It saves again, with a new line at the end of its
        // own text.
        world.save("a\nb\nc\n", to: "log")
        try await world.idle(10_000)
        #expect(world.text("log") == "from elsewhere\na\nb\nc\n")
    }

    @Test("older texts are kept up to a limit, and for at most a day")
    func bounds() async throws {
        let world = try await world("a\n", changedTo: "b\n")
        for number in 0..<SyncRecord.OlderTextLimits.count + 10 {
            world.server.set("list", "text \(number)\n")
            try await world.run(4_000)
        }
        let kept = { world.disk.everything.count { $0.hasPrefix("text ") } }
        #expect(kept() == SyncRecord.OlderTextLimits.count + 1)
        try await world.idle(SyncRecord.OlderTextLimits.time + 60_000)
        #expect(kept() == 1)
    }
}

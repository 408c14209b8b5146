import CaretSync
import CaretWire
import TestSupport
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

    // MARK: Changes that a person takes back

    /// Two folders with one document. Each text is saved in its folder, and then written into the other one.
    private func saved(_ texts: [(folder: Int, text: String)], pause: Int) async throws -> SyncWorld {
        let world = try SyncWorld(folders: 2)
        for index in 0...1 { try await world.begin(index) }
        for (folder, text) in texts {
            world.save(text, to: "letter", in: folder)
            try await world.run(pause)
        }
        try await world.run(5_000)
        return world
    }

    @Test(
        "a person takes back their own last change, and no word is doubled", arguments: [500, 10_000])
    func takenBack(pause: Int) async throws {
        for end in ["", ".", " or Bo"] {
            let world = try await saved(
                [
                    (0, "Dear Ann"), (1, "Dear Ann and Bob"), (0, "Dear Ann and Bob and Cyd"),
                    (0, "Dear Ann and Bob\(end)"),
                ], pause: pause)
            for folder in 0...1 { #expect(world.text("letter", in: folder) == "Dear Ann and Bob\(end)") }
            #expect(world.server.texts["letter"] == "Dear Ann and Bob\(end)")
        }
    }

    @Test("a change that a person takes back leaves the later changes of others")
    func takenBackLate() async throws {
        let world = try await saved(
            [
                (0, "Dear Ann"), (1, "Dear Ann and Bob"), (0, "Dear Ann and Bob and Cyd"),
                (1, "Oh dear: Dear Ann and Bob and Cyd"), (0, "Dear Ann and Bob"),
            ], pause: 500)
        for folder in 0...1 { #expect(world.text("letter", in: folder) == "Oh dear: Dear Ann and Bob") }
    }

    @Test("words that were removed on purpose do not come back with those that a person takes back")
    func takenBackAfterRemoval() async throws {
        let world = try await saved(
            [
                (0, "Dear Ann"), (1, "Dear Ann and Bob"), (0, "Dear Ann"),
                (0, "Dear Ann, hello world and you"), (0, "Dear Ann, hello"),
            ], pause: 3_000)
        for folder in 0...1 { #expect(world.text("letter", in: folder) == "Dear Ann, hello") }
    }

    @Test(
        "people who append words or take back their last ones lose and double none",
        arguments: Seeds.first(Seeds.share(of: 1_000, everyCommit: 50)))
    func takenBackRandomly(seed: UInt64) async throws {
        var random = Seeded(seed)
        let world = try await saved([(0, "Words:")], pause: 500)
        var (words, undo) = (["Words:"], [(text: String, before: String)?](repeating: nil, count: 2))
        for _ in 0..<20 {
            let folder = random.number(0...1)
            // A text that is only cut short is used after two seconds.
            var pause = random.pick([500, 5_000])
            let text = try #require(world.text("letter", in: folder))
            if let last = undo[folder], last.text == text, random.chance(60) {
                world.save(last.before, to: "letter", in: folder, asNewFile: random.chance(50))
                words.removeLast()
                pause = 2_500
                undo[folder] = nil
            } else {
                // Similar words would count as corrections of each other.
                let word = String((0..<5).map { _ in random.pick(Array("abcdefghijklmnopqrstuvwxyz")) })
                words.append(word)
                undo[folder] = ("\(text) \(word)", text)
                world.save("\(text) \(word)", to: "letter", in: folder, asNewFile: random.chance(50))
            }
            try await world.run(pause)
            let replay = Seeds.replay(seed, of: "SyncEditorTests.takenBackRandomly")
            let wanted = words.joined(separator: " ")
            for folder in 0...1 { #expect(world.text("letter", in: folder) == wanted, "\(replay)") }
        }
    }
}

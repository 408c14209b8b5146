import CaretSync
import CaretWire
import Testing

@Suite("Files that .caretignore excludes") struct SyncIgnoredTests {
    private let ignoreFile = ".caretignore"

    private func remove(_ name: String, _ world: SyncWorld) {
        world.disk.remove(byUser: SyncWorld.path(name))
    }

    /// A world with a folder that has `rules` and is in sync.
    private func world(_ rules: String, files: [String] = [], documents: [WireString] = []) async throws
        -> SyncWorld
    {
        let world = try SyncWorld()
        world.save(rules, to: ignoreFile)
        for file in files { world.save("\(file)\n", to: file) }
        for document in documents { world.server.set(document, "\(document)\n") }
        try await world.begin(0)
        try await world.run(3_000)
        return world
    }

    @Test("ignored files are not pushed, and ignored documents have no file")
    func bothWays() async throws {
        let world = try await world(
            "*.log\nbuild/\n", files: ["a", "b.log", "build/c"], documents: ["d", "e.log", "build/f"])
        #expect(world.server.texts["a"] == "a\n" && world.text("d") == "d\n")
        #expect(world.server.texts["b.log"] == nil && world.server.texts["build/c"] == nil)
        #expect(world.text("e.log") == nil && world.text("build/f") == nil)
        #expect(world.reports.map(\.path).sorted() == ["a", "d"])
        let counts = try await world.folders[0].syncer?.count()
        #expect(counts?.files == 2 && counts?.documents == 2)
    }

    @Test("the file itself and a changed ignored file stay on this machine")
    func changed() async throws {
        let world = try await world("secret\n")
        world.save("x\n", to: "secret")
        await world.folders[0].syncer?.changed(FolderWatch.Changes(files: ["secret"]))
        try await world.run(3_000)
        #expect(world.server.texts == [:])
    }

    @Test("a file that becomes ignored stays, and so does its document")
    func becomesIgnored() async throws {
        let world = try await world("", files: ["a"])
        world.save("a\n", to: ignoreFile)
        try await world.run(3_000)
        #expect(world.reports.last?.report == .leftAlone(.ignored))
        world.save("mine\n", to: "a")
        world.server.set("a", "theirs\n")
        try await world.run(3_000)
        #expect(world.text("a") == "mine\n" && world.server.texts["a"] == "theirs\n")
        remove("a", world)
        try await world.run(5_000)
        #expect(world.server.texts["a"] == "theirs\n")
    }

    @Test("a file that is no longer ignored is merged with its document")
    func noLongerIgnored() async throws {
        let world = try await world("a\nb\n", files: ["a"], documents: ["a", "b"])
        world.save("", to: ignoreFile)
        try await world.run(10_000)
        #expect(world.text("a") == world.server.texts["a"] && world.text("b") == "b\n")
    }

    @Test("while the rules are saved, no ignored file is pushed", arguments: ["removed", "emptied"])
    func saved(way: String) async throws {
        let world = try await world("secret\n", files: ["secret"])
        if way == "removed" {
            remove(ignoreFile, world)
        } else {
            world.save("", to: ignoreFile)
        }
        try await world.run(1_900)
        world.save("secret\nother\n", to: ignoreFile)
        world.save("x\n", to: "other")
        try await world.run(10_000)
        #expect(world.server.texts == [:])
    }

    @Test("rules that were removed for two seconds do not apply any more")
    func removed() async throws {
        let world = try await world("secret\n", files: ["secret"])
        remove(ignoreFile, world)
        try await world.run(5_000)
        #expect(world.server.texts == ["secret": "secret\n"])
    }

    @Test(
        "a save that has not reached the server is not sent after its file is ignored",
        arguments: ["saved", "removed"])
    func pendingPush(way: String) async throws {
        let world = try await world("", files: ["a"])
        world.server.setConnected(false)
        world.save("a\nb\n", to: "a")
        try await world.run(1_000)
        world.save("a\n", to: ignoreFile)
        try await world.run(1_000)
        if way == "saved" { world.save("secret\n", to: "a") } else { remove("a", world) }
        try await world.run(3_000)
        world.server.setConnected(true)
        try await world.run(5_000)
        #expect(world.server.texts["a"] == "a\n")
        #expect(world.text("a") == (way == "saved" ? "secret\n" : nil))
        #expect(await world.folders[0].syncer?.state.records.isEmpty == true)
    }

    @Test("rules that are saved during a pass apply to the files that the pass has not reached")
    func savedDuringPass() async throws {
        let world = try SyncWorld()
        for name in ["a", "b", "c"] { world.save("\(name)\n", to: name) }
        world.server.watchAnswers { [disk = world.disk, path = SyncWorld.path(ignoreFile)] request in
            if request == "push" { disk.save("c\n", to: path, asNewFile: false) }
        }
        try await world.begin(0)
        try await world.run(5_000)
        #expect(world.server.texts["a"] == "a\n" && world.server.texts["c"] == nil)
    }

    @Test("rules that were just added apply while the file is saved again")
    func savedTwice() async throws {
        let world = try await world("")
        world.save("secret\n", to: ignoreFile)
        try await world.run(500)
        world.save("x\n", to: "secret")
        try await world.run(500)
        world.save("", to: ignoreFile)
        try await world.run(500)
        world.save("secret\nother\n", to: ignoreFile)
        try await world.run(5_000)
        #expect(world.server.texts == [:])
    }

    @Test(
        "a file that was ignored for a while is synced as before",
        arguments: ["file removed", "document removed"])
    func ignoredForAWhile(way: String) async throws {
        let world = try await world("", files: ["a"])
        world.save("a\n", to: ignoreFile)
        try await world.run(5_000)
        if way == "document removed" { try await world.server.delete("a") }
        world.save("", to: ignoreFile)
        try await world.run(10_000)
        if way == "file removed" {
            remove("a", world)
            try await world.run(10_000)
        }
        #expect(world.server.texts["a"] == (way == "file removed" ? nil : "a\n"))
        #expect(world.text("a") == world.server.texts["a"])
    }

    @Test(
        "an empty file at the start does not end the rules of the last run at once", arguments: [false, true])
    func emptyAtStart(once: Bool) async throws {
        let world = try await world("secret\n", files: ["secret"])
        world.end(0)
        world.save("", to: ignoreFile)
        try await world.begin(0)
        if once {
            let syncer = try #require(world.folders[0].syncer)
            #expect(try await syncer.pass(nil, once: true) == 2_000)
        }
        try await world.run(1_000)
        #expect(world.server.texts == [:])
        world.save("secret\n", to: ignoreFile)
        try await world.run(5_000)
        #expect(world.server.texts == [:])
        world.save("", to: ignoreFile)
        try await world.run(5_000)
        #expect(world.server.texts == ["secret": "secret\n"])
    }

    @Test("rules that exclude everything for a moment end no sync")
    func moment() async throws {
        let world = try await world("", files: ["a", "b"])
        world.save("*\n", to: ignoreFile)
        try await world.run(1_000)
        world.save("*.log\n", to: ignoreFile)
        try await world.run(5_000)
        #expect(!world.reports.contains { $0.report == .leftAlone(.ignored) })
        world.save("a\nb\n", to: "a")
        try await world.run(2_000)
        #expect(world.server.texts["a"] == "a\nb\n")
    }

    @Test("a sync does not begin with rules that cannot be read")
    func unreadable() async throws {
        for text in ["a\0b", String(repeating: "a\n", count: 32 << 10) + "a"] {
            let world = try SyncWorld()
            world.save(text, to: ignoreFile)
            world.save("x\n", to: "file")
            try await world.begin(0)
            await #expect(throws: SyncFault.invalidIgnoreFile(SyncWorld.path(ignoreFile))) {
                try await world.run(3_000)
            }
            #expect(world.server.texts == [:])
        }
    }

    @Test("while changed rules cannot be read, the folder is not scanned without a pause")
    func noBusyLoop() async throws {
        let world = try await world("secret\n", files: ["secret"])
        world.save("", to: ignoreFile)
        try await world.run(100)
        world.save("a\0b", to: ignoreFile)
        try await world.run(5_000)
        #expect(try await world.pass() > 1_000)
        #expect(world.server.texts == [:])
    }

    @Test("rules of the longest length apply, and later rules that cannot be read change nothing")
    func laterUnreadable() async throws {
        let world = try await world(
            "secret\n#" + String(repeating: "a", count: (64 << 10) - 8), files: ["secret"])
        world.save("a\0b", to: ignoreFile)
        world.save("x\n", to: "file")
        try await world.run(5_000)
        #expect(world.server.texts == ["file": "x\n"])
        #expect(world.reports.contains { $0.path == ignoreFile && $0.report == .leftAlone(.binary) })
    }
}

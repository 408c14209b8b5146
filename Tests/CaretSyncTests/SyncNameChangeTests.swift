import CaretSync
import CaretWire
import Testing

/// Files that are renamed or become folders, in several synced folders at once.
@Suite("File names that change in several folders") struct SyncNameChangeTests {
    private func world(_ texts: [String: String]) async throws -> SyncWorld {
        let world = try SyncWorld(folders: 2)
        for index in world.folders.indices { try await world.begin(index) }
        for (name, text) in texts {
            if name.contains("/") { world.folders[0].disk.makeFolder(byUser: SyncWorld.path("x")) }
            world.save(text, to: name)
        }
        try await world.run(2_000)
        return world
    }

    private func expect(_ world: SyncWorld, _ wanted: [String: String]) {
        for folder in world.folders { #expect(folder.disk.texts(in: SyncWorld.root) == wanted) }
        #expect(world.server.texts == wanted)
    }

    /// Moves the file `x` to `x/y`.
    private func moveIntoItself(_ disk: MemoryDisk) {
        disk.rename(byUser: SyncWorld.path("x"), to: SyncWorld.path("x~"))
        disk.makeFolder(byUser: SyncWorld.path("x"))
        disk.rename(byUser: SyncWorld.path("x~"), to: SyncWorld.path("x/y"))
    }

    /// Replaces the file `x` by a folder.
    private func replaceByFolder(_ world: SyncWorld) {
        world.folders[0].disk.remove(byUser: SyncWorld.path("x"))
        world.folders[0].disk.makeFolder(byUser: SyncWorld.path("x"))
        world.save("in it\n", to: "x/y")
    }

    @Test("a file renamed to two names at the same time becomes two files")
    func twoNames() async throws {
        let world = try await world(["file": "text\n"])
        for (folder, name) in zip(world.folders, ["a", "b"]) {
            folder.disk.rename(byUser: SyncWorld.path("file"), to: SyncWorld.path(name))
        }
        try await world.run(10_000)
        expect(world, ["a": "text\n", "b": "text\n"])
    }

    @Test("a file deleted here and renamed elsewhere keeps its new name")
    func renamedAndDeleted() async throws {
        let world = try await world(["file": "text\n"])
        world.folders[0].disk.rename(byUser: SyncWorld.path("file"), to: SyncWorld.path("a"))
        world.folders[1].disk.remove(byUser: SyncWorld.path("file"))
        try await world.run(10_000)
        expect(world, ["a": "text\n"])
        #expect(!world.reports.contains { $0.report == .renamedElsewhere(to: "a") })
    }

    @Test("a document that gets its old name back is not compared with the file that it had before")
    func renamedBack() async throws {
        let world = try await world(["x": "the first line\n"])
        // Here the file is deleted, and at the same time the document gets another name elsewhere.
        world.folders[0].disk.remove(byUser: SyncWorld.path("x"))
        try await world.server.rename("x", to: "x/y")
        try await world.run(200)
        world.server.set("x/y", "the first line\nthe second line\n")
        try await world.run(400)
        // The document gets its old name back. The same happens here, with an unsynced change.
        try await world.server.rename("x/y", to: "x")
        let disk = world.folders[0].disk
        disk.rename(byUser: SyncWorld.path("x/y"), to: SyncWorld.path("x~"))
        disk.remove(byUser: SyncWorld.path("x"))
        disk.rename(byUser: SyncWorld.path("x~"), to: SyncWorld.path("x"))
        disk.save(
            "the first line\nthe second line\nthe third line\n", to: SyncWorld.path("x"), asNewFile: false)
        world.server.set("x", "above\nthe first line\nthe second line\n")
        try await world.run(6_000)
        expect(world, ["x": "above\nthe first line\nthe second line\nthe third line\n"])
    }

    @Test("a document that gets the name of a new file is merged with this file")
    func renamedToNewFile() async throws {
        let world = try await world(["file": "one line\n"])
        world.folders[1].disk.rename(byUser: SyncWorld.path("file"), to: SyncWorld.path("new"))
        world.save("another line\n", to: "new")
        try await world.run(10_000)
        for folder in world.folders { #expect(folder.disk.texts(in: SyncWorld.root) == world.server.texts) }
        #expect(Set(world.server.texts.keys) == ["new"])
        let lines = world.server.texts["new"].map { $0.split(separator: "\n").sorted() }
        #expect(lines == ["another line", "one line"])
    }

    @Test("a folder can replace a file of the same name, and the reverse")
    func folders() async throws {
        let world = try await world(["x": "file\n"])
        let disk = world.folders[0].disk
        replaceByFolder(world)
        try await world.run(10_000)
        expect(world, ["x/y": "in it\n"])
        disk.remove(byUser: SyncWorld.path("x/y"))
        disk.remove(byUser: SyncWorld.path("x"))
        world.save("a file again\n", to: "x")
        try await world.run(10_000)
        expect(world, ["x": "a file again\n"])
    }

    @Test("a document changed while its file became a folder gets another name")
    func changedMeanwhile() async throws {
        let world = try await world(["x": "file\n"])
        replaceByFolder(world)
        world.save("file\nchanged by the other one\n", to: "x", in: 1)
        try await world.run(10_000)
        expect(world, ["x (file)": "file\nchanged by the other one\n", "x/y": "in it\n"])
    }

    @Test("a changed file gets another name if its document became a folder")
    func changedWhileDocumentBecameFolder() async throws {
        let world = try await world(["x": "file\n"])
        try await world.server.delete("x")
        world.server.set("x/y", "in it\n")
        world.save("file\nchanged here\n", to: "x")
        try await world.run(10_000)
        expect(world, ["x (file)": "file\nchanged here\n", "x/y": "in it\n"])
        #expect(world.reports.count { $0.path == "x" && $0.report == .renamedHere(to: "x (file)") } == 1)
    }

    @Test("a document whose new name is taken gets a number in its name")
    func takenName() async throws {
        let world = try await world(["x": "file\n", "x (file)": "another\n"])
        replaceByFolder(world)
        world.save("file\nchanged by the other one\n", to: "x", in: 1)
        try await world.run(10_000)
        expect(
            world,
            [
                "x (file 2)": "file\nchanged by the other one\n", "x (file)": "another\n",
                "x/y": "in it\n",
            ])
    }

    @Test("if a file replaces a folder, documents that change meanwhile are renamed")
    func changedBelow() async throws {
        let world = try await world(["x/y": "in it\n"])
        let disk = world.folders[0].disk
        disk.remove(byUser: SyncWorld.path("x/y"))
        disk.remove(byUser: SyncWorld.path("x"))
        world.save("a file\n", to: "x")
        world.save("in it\nchanged by the other one\n", to: "x/y", in: 1)
        try await world.run(10_000)
        expect(world, ["x (folder)/y": "in it\nchanged by the other one\n", "x": "a file\n"])
    }

    @Test(
        "a folder is renamed even if its name's last letter combines with /")
    func joiningLetter() async throws {
        let world = try SyncWorld()
        try await world.begin(0)
        // U+0D4E and the slash after it form one Character.
        let folder = "x\u{0D4E}"
        world.disk.makeFolder(byUser: SyncWorld.path(folder))
        world.save("in it\n", to: folder + "/y")
        try await world.run(2_000)
        world.disk.remove(byUser: SyncWorld.path(folder + "/y"))
        world.disk.remove(byUser: SyncWorld.path(folder))
        world.save("a file\n", to: folder)
        world.server.set(WireString(folder + "/y"), "in it\nchanged elsewhere\n")
        try await world.run(10_000)
        expect(world, [folder + " (folder)/y": "in it\nchanged elsewhere\n", folder: "a file\n"])
    }

    @Test(
        "a file moved into a folder of the same name keeps the saves of others"
    )
    func intoItself() async throws {
        let world = try await world(["x": "file\n"])
        let disk = world.folders[0].disk
        moveIntoItself(disk)
        world.save("file\nsaved elsewhere\n", to: "x", in: 1)
        try await world.run(10_000)
        expect(world, ["x/y": "file\nsaved elsewhere\n"])
        #expect(world.server.history(of: "x/y") == ["", "file\n", "file\nsaved elsewhere\n"])
        disk.rename(byUser: SyncWorld.path("x/y"), to: SyncWorld.path("x~"))
        disk.remove(byUser: SyncWorld.path("x"))
        disk.rename(byUser: SyncWorld.path("x~"), to: SyncWorld.path("x"))
        world.save("saved again\nfile\nsaved elsewhere\n", to: "x/y", in: 1)
        try await world.run(10_000)
        expect(world, ["x": "saved again\nfile\nsaved elsewhere\n"])
        #expect(world.server.history(of: "x").count == 4)
    }

    @Test(
        "a file saved and renamed at once keeps its history and others' changes"
    )
    func savedAndRenamed() async throws {
        let world = try await world(["file": "one line\nanother line\n"])
        world.save("one line\nanother line\na third line\n", to: "file", in: 1)
        try await world.run(1_000)
        // An editor that has not read the third line saves the file.
        world.save("one line\nanother line\na fourth line\n", to: "file")
        world.folders[0].disk.rename(byUser: SyncWorld.path("file"), to: SyncWorld.path("new"))
        try await world.run(10_000)
        expect(world, ["new": "one line\nanother line\na third line\na fourth line\n"])
        #expect(world.server.history(of: "new").count == 4)
    }

    @Test("a new file gets another name if others made a folder of that name")
    func madeWhereAFolderIs() async throws {
        let world = try await world(["other": ""])
        world.folders[0].disk.makeFolder(byUser: SyncWorld.path("x"))
        world.save("in it\n", to: "x/y")
        try await world.run(280)
        world.save("a file\n", to: "x", in: 1)
        try await world.run(10_000)
        expect(world, ["other": "", "x (file)": "a file\n", "x/y": "in it\n"])
    }

    @Test("a folder is renamed if a restored server has a document of that name")
    func restoredDocument() async throws {
        let world = try await world(["x": "file\n"])
        let backup = world.server.backup()
        let disk = world.folders[0].disk
        moveIntoItself(disk)
        try await world.run(10_000)
        expect(world, ["x/y": "file\n"])
        world.server.restore(backup, as: "s2")
        for index in world.folders.indices { try await world.begin(index) }
        try await world.run(10_000)
        expect(world, ["x": "file\n", "x (folder)/y": "file\n"])
    }
}

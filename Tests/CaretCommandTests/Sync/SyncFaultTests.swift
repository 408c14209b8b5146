import CaretSync
import Foundation
import TestSupport
import Testing

@Suite("`caret sync` when something goes wrong", .serialized) struct SyncFaultTests {
    @Test(
        "`sync` ends without changes if its server was replaced by another",
        arguments: [1, 2])
    func otherServer(count: Int) throws {
        let folders = try SyncedFolders(["ann"])
        for key in [SyncedFolders.server, "ann"] { try folders.start(key) }
        let texts = Dictionary(uniqueKeysWithValues: ["one", "two"].prefix(count).map { ($0, "\($0)\n") })
        for (path, text) in texts { try folders.save(text, to: path, in: "ann", 1) }
        try folders.waits {
            try texts.keys.allSatisfy { try folders.output("ann").contains("\($0) → revision 1") }
        }
        folders.kill(SyncedFolders.server)
        try FileManager.default.removeItem(at: folders.root.appending(path: "data"))
        try folders.start(SyncedFolders.server)
        #expect(try folders.ended("ann") == 1)
        let said = try folders.errorOutput("ann")
        let root = folders.root.path
        #expect(
            said.contains(
                try Regex(
                    """
                    caret: \(root)/ann: it was synced with the store [0-9a-z]+, but the server at \(root)/data/caretd.sock has \
                    the store [0-9a-z]+
                      nothing was changed. If this is the right server, pass --adopt: every line of the files and documents is kept.
                      If it is not, pass the address of the right server, or sync another folder with this server

                    """)), "\(said)")
        #expect(folders.texts(in: "ann") == texts)
        // A second start fails in the same way. A start with --adopt pushes everything.
        try folders.start("ann")
        #expect(try folders.ended("ann") == 1)
        #expect(folders.texts(in: "ann") == texts)
        try folders.start("ann", ["--adopt"])
        try folders.waits {
            try texts.keys.allSatisfy {
                try folders.output("ann").components(separatedBy: "\($0) → revision 1").count == 3
            }
        }
        #expect(folders.texts(in: "ann") == texts)
    }

    @Test("after a backup is restored, a synced folder keeps all its files")
    func restored() throws {
        let folders = try SyncedFolders(["ann"])
        for key in [SyncedFolders.server, "ann"] { try folders.start(key) }
        try folders.save("1\n", to: "old", in: "ann", 1)
        try folders.waits { try folders.output("ann").contains("old → revision 1") }
        let (data, backup) = (folders.root.path + "/data", folders.root.path + "/backup")
        #expect(
            try Run(ChildProgram.path(of: "caret"), ["backup", backup, "--data", data], environment: [:])
                .status == 0)
        try folders.save("1\n2\n", to: "old", in: "ann", 1)
        try folders.save("new\n", to: "new", in: "ann", 1)
        try folders.waits {
            let said = try folders.output("ann")
            return said.contains("old → revision 2") && said.contains("new → revision 1")
        }
        folders.kill(SyncedFolders.server)
        try FileManager.default.removeItem(atPath: data)
        try FileManager.default.createDirectory(atPath: data, withIntermediateDirectories: true)
        try FileManager.default.moveItem(atPath: backup, toPath: data + "/caret.sqlite")
        try folders.start(SyncedFolders.server)
        try folders.waits {
            let said = try folders.output("ann")
            return said.components(separatedBy: "old → revision 2").count == 3
                && said.components(separatedBy: "new → revision 1").count == 3
        }
        #expect(folders.texts(in: "ann") == ["old": "1\n2\n", "new": "new\n"])
    }

    @Test("if the data of a server is replaced by an older copy, running syncs remove nothing")
    func putBack() throws {
        let folders = try SyncedFolders(["ann", "bob"])
        for key in [SyncedFolders.server, "ann", "bob"] { try folders.start(key) }
        func waitForEqual(_ texts: [String: String]) throws {
            try folders.waits { ["ann", "bob"].allSatisfy { folders.texts(in: $0) == texts } }
        }
        try folders.save("1\n", to: "list", in: "ann", 1)
        try waitForEqual(["list": "1\n"])
        let (data, copy) = (folders.root.path + "/data", folders.root.path + "/copy")
        folders.kill(SyncedFolders.server)
        try FileManager.default.removeItem(atPath: data + "/caretd.sock")
        try FileManager.default.copyItem(atPath: data, toPath: copy)
        try folders.start(SyncedFolders.server)
        try folders.save("1\nshown\n", to: "list", in: "ann", 1)
        try folders.save("new\n", to: "made since", in: "bob", 1)
        try waitForEqual(["list": "1\nshown\n", "made since": "new\n"])
        folders.kill(SyncedFolders.server)
        try FileManager.default.removeItem(atPath: data)
        try FileManager.default.moveItem(atPath: copy, toPath: data)
        try folders.save("1\nshown\nmine\n", to: "list", in: "bob", 1)
        try folders.start(SyncedFolders.server)
        try waitForEqual(["list": "1\nshown\nmine\n", "made since": "new\n"])
        // The sync that connects second may find that the first one has put everything back.
        #expect(
            try ["ann", "bob"].contains {
                try folders.errorOutput($0).contains("the server has an older copy of its data")
            })
    }

    @Test("`sync` refuses a folder inside or around another synced folder")
    func nested() throws {
        let session = try CommandSession()
        let outer = session.folder.path + "/notes"
        #expect(try session.caret(["sync", outer, "n", "--once"]).status == 0)
        let inner = try session.caret(["sync", outer + "/in", "n", "--once"])
        #expect(inner.status == 1)
        #expect(
            inner.errors.contains("\(outer)/in: it is inside \(outer), which is already a synced folder\n"),
            "\(inner)")
        let around = try session.caret(["sync", session.folder.path, "n", "--once"])
        #expect(around.status == 1)
        #expect(
            around.errors.contains(
                "\(session.folder.path): it contains notes, which is already a synced folder\n"),
            "\(around)")
        #expect(!FileManager.default.fileExists(atPath: session.folder.path + "/.caret"))
    }

    @Test("the trash lists a file deleted elsewhere, and restores it by number")
    func trash() throws {
        let session = try CommandSession()
        let notes = session.folder.path + "/notes"
        try session.expect("$ put n/a --create << text⏎\nn/a: saved as revision 1")
        _ = try once(session)
        _ = try session.caret(["rm", "n/a", "--yes"])
        #expect(try once(session) == ["a ← deleted"])
        let listed = try session.caret(["trash", "list", notes, "--json"])
        let number = try #require(
            listed.output.firstMatch(of: try Regex("\"number\":([0-9]+)"))?[1].substring)
        #expect(listed.output.contains("\"file\":\"a\",\"why\":\"deleted\""), "\(listed)")
        try session.expect("$ trash restore \(notes) \(number)\n\(notes)/a")
        #expect(try String(contentsOfFile: notes + "/a", encoding: .utf8) == "text\n")
        try session.expect(
            """
            $ trash restore \(notes) \(number)
            ! caret: \(notes)/a: already exists
            !   pass another file name after the number
            [1]
            $ trash restore \(notes) \(number) old/a
            \(notes)/old/a
            $ trash restore \(notes) \(number) ../a
            ! caret: ../a: not a valid name of a synced file
            [1]
            $ trash restore \(notes) 1
            ! caret: \(notes): its trash has no item 1
            !   `caret trash list \(notes)` shows the numbers
            [1]
            $ trash list \(session.folder.path)
            ! caret: \(session.folder.path): not a synced folder
            !   pass the folder that `caret sync` uses
            [1]
            """)
    }

    @Test("`sync` writes through no link and below no file, even after a rename")
    func links() throws {
        let session = try CommandSession()
        let (notes, outside) = (
            session.folder.appending(path: "notes"), session.folder.appending(path: "outside")
        )
        let files = FileManager.default
        for folder in [notes, outside] {
            try files.createDirectory(at: folder, withIntermediateDirectories: true)
        }
        try "mine\n".write(to: outside.appending(path: "a"), atomically: true, encoding: .utf8)
        try files.createSymbolicLink(at: notes.appending(path: "link"), withDestinationURL: outside)
        try session.expect(
            """
            $ put n/link/a --create << theirs⏎
            n/link/a: saved as revision 1
            $ put n/link/b --create << new⏎
            n/link/b: saved as revision 1
            $ put n/plain --create << text⏎
            n/plain: saved as revision 1
            $ put n/plain/c --create << text⏎
            n/plain/c: saved as revision 1
            $ put n/d --create << text⏎
            n/d: saved as revision 1
            """)
        let leftAlone = [
            "link left alone: not a regular file",
            "link/a left alone: link is not a folder on this machine, and links are not followed",
            "link/b left alone: link is not a folder on this machine, and links are not followed",
            "plain/c left alone: plain is not a folder on this machine, and links are not followed",
        ]
        let written = ["d ← revision 1 by anonymous", "plain ← revision 1 by anonymous"]
        #expect(try once(session) == (leftAlone + written).sorted())
        try session.expect("$ mv n/d n/link/d\nn/d is now n/link/d")
        let renamed = "link/d left alone: link is not a folder on this machine, and links are not followed"
        #expect(try once(session) == (leftAlone + [renamed, "d ← deleted"]).sorted())
        #expect(try session.caret(["cat", "n/link/a"]).output == "theirs\n")
        #expect(try files.contentsOfDirectory(atPath: outside.path) == ["a"])
        #expect(try String(contentsOf: outside.appending(path: "a"), encoding: .utf8) == "mine\n")
    }

    @Test("if a file cannot be synced, `--once` syncs the others and fails")
    func notSynced() throws {
        let session = try CommandSession()
        // This folder is almost as deep as the system allows. Paths below this folder are too long to open.
        let part = String(repeating: "d", count: 240)
        let (deep, behind) = (String(repeating: part + "/", count: 15), "\(part)/\(part)")
        defer { _ = try? session.shell("rm -r notes") }
        let made = try session.shell(
            "mkdir -p notes/\(deep) && cd notes/\(deep) && mkdir \(part) && cd \(part) && mkdir \(part)")
        #expect(made.status == 0, "\(made)")
        try session.expect("$ put n/a --create << a⏎\nn/a: saved as revision 1")
        func once() throws -> (status: Int32, lines: [String]) {
            let run = try session.shell("caret sync $PWD/notes/\(deep) n --once")
            let errors = run.errors.split(separator: "\n")
            #expect(errors.count == 1 && errors[0].hasPrefix("caret: syncing "), "\(run.errors)")
            return (run.status, run.output.split(separator: "\n").map(String.init).sorted())
        }
        let first = try once()
        let unreadable = "\(behind) left alone: cannot be read: File name too long"
        #expect(first.status == 1 && first.lines == ["a ← revision 1 by anonymous", unreadable], "\(first)")
        // The document gets a new name, but its file cannot get that name, because the path is too long. The
        // other files are synced all the same.
        try session.expect(
            """
            $ mv n/a n/\(part)/\(part.dropLast())
            n/a is now n/\(part)/\(part.dropLast())
            $ put n/b --create << b⏎
            n/b: saved as revision 1
            """)
        let second = try once()
        #expect(
            second.status == 1 && second.lines.count == 4 && second.lines.contains(unreadable), "\(second)")
        #expect(second.lines.contains("b ← revision 1 by anonymous"), "\(second)")
        #expect(
            second.lines.contains { $0.hasPrefix("a not synced: ") && $0.hasSuffix(": File name too long") },
            "\(second)")
        #expect(try session.shell("cat notes/\(deep)/a").output == "a\n")
    }

    @Test("if the server refuses a file, `--once` pushes the others and fails")
    func refused() throws {
        let session = try CommandSession(["--require-tokens=true"])
        let notes = session.folder.appending(path: "notes")
        try FileManager.default.createDirectory(at: notes, withIntermediateDirectories: true)
        for path in ["a", "b", "c"] {
            try "text\n".write(to: notes.appending(path: path), atomically: true, encoding: .utf8)
        }
        let made = try session.caret([
            "token", "add", "ann", "--write", "=a", "--read", "=b", "--data", session.data,
        ])
        let token = made.output.split(separator: "\n").first.map(String.init) ?? ""
        let run = try session.caret(["sync", notes.path, "--once"], environment: ["CARET_TOKEN": token])
        #expect(run.status == 1 && run.output.contains("a → revision 1\n"), "\(run)")
        for (path, code) in [("b", "forbidden"), ("c", "not_found")] {
            #expect(run.output.contains(try Regex("\(path) not pushed: .*\\(\(code)\\)\n")), "\(run)")
        }
    }

    @Test("a file saved while `sync` removes it is restored after a kill")
    func removing() throws {
        let session = try CommandSession()
        let notes = session.folder.path + "/notes"
        for folder in ["", "/.caret", "/.caret/files", "/.caret/swap"] {
            try SystemFile.makeFolder(notes + folder)
        }
        let head = SyncRecord.Head(epoch: "gone", revision: 5, text: "a\n")
        for (number, path) in [(1, "saved"), (2, "kept"), (3, "folder/clean")] {
            var record = SyncRecord(path: path, seen: "a\n", head: head, usesCRLF: false)
            record.removing = number
            let state = notes + "/.caret"
            try SystemFile.make(
                "\(state)/files/\(number).json", Array(try JSONEncoder().encode(record)), mode: 0o600)
            // The file `kept` is still in its folder: sync had not moved it aside yet, or had already moved
            // it back.
            let file = path == "kept" ? notes + "/kept" : "\(state)/swap/\(number)"
            try SystemFile.make(file, Array((path == "folder/clean" ? "a\n" : "a\nb\n").utf8), mode: 0o600)
        }
        // The server has a document that sync has recorded, so sync accepts it as the right server.
        try session.expect("$ put n/other --create << x⏎\nn/other: saved as revision 1")
        let other = SyncRecord(path: "other", seen: "x\n", head: head, usesCRLF: false)
        try SystemFile.make(
            notes + "/.caret/files/4.json", Array(try JSONEncoder().encode(other)), mode: 0o600)
        try SystemFile.make(notes + "/other", Array("x\n".utf8), mode: 0o600)
        #expect(
            try once(session) == ["folder/clean ← deleted", "kept → revision 1", "saved → revision 1"])
        try session.expect(
            """
            $ cat n/saved
            a
            b
            $ ls n/ --json
            {"doc":"n/kept",…
            {"doc":"n/other",…
            {"doc":"n/saved",…
            """)
    }

    /// The output of one sync. The lines are sorted, because sync handles a file that has just changed later
    /// than the other files.
    private func once(_ session: CommandSession) throws -> [String] {
        let run = try session.caret(["sync", session.folder.path + "/notes", "n", "--once"])
        return run.output.split(separator: "\n").map(String.init).sorted()
    }
}

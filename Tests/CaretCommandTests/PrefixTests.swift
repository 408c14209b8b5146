import CaretCommand
import CaretLog
import Foundation
import Testing

@Suite("`rm` and `mv` with --prefix", .serialized) struct PrefixTests {
    /// A session with these documents, one revision each.
    private func session(_ names: [String], _ options: [String] = []) throws -> CommandSession {
        let session = try CommandSession(options)
        for name in names {
            let put = ["put", name, "--create", "--data", session.data]
            #expect(try session.caret(put, input: "\(name)\n").status == 0)
        }
        return session
    }

    private func names(on session: CommandSession) throws -> [String] {
        try session.caret(["ls", "--data", session.data]).output.split(separator: "\n").map {
            String($0.prefix { $0 != "\t" })
        }
    }

    @Test("`rm --prefix` deletes all documents below a prefix, and no others")
    func rm() throws {
        let session = try session(["drafts", "drafts/a", "drafts/b/c", "drafts2/a", "notes"])
        try session.expect(
            """
            $ rm --prefix drafts --dry-run
            drafts/a would be deleted with its 1 revision
            drafts/b/c would be deleted with its 1 revision
            $ rm drafts/ --prefix --dry-run --json
            {"doc":"drafts/a","deleted":false}
            {"doc":"drafts/b/c","deleted":false}
            $ rm --prefix drafts/
            ! caret: rm: not a terminal: pass --yes to confirm
            !   run: caret help rm
            [2]
            $ rm --prefix '' --yes
            ! caret: rm: DOC: found "", expected a prefix that is not empty
            !   run: caret help rm
            [2]
            $ rm --prefix drafts/b --yes --json
            {"doc":"drafts/b/c","deleted":true}
            $ rm --prefix drafts/ --yes
            drafts/a is deleted
            $ rm --prefix drafts/ --yes
            ! caret: there is no document below drafts/
            !   `caret ls` lists the documents that you may read
            [1]
            $ rm notes --dry-run
            notes would be deleted with its 1 revision
            $ rm nope --dry-run
            ! caret: nope: there is no such document (not_found)
            !   `caret ls` lists the documents that you may read
            [1]
            """)
        #expect(try names(on: session) == ["drafts", "drafts2/a", "notes"])
    }

    @Test("`mv --prefix` renames all documents below a prefix, and no others")
    func mv() throws {
        let session = try session(["old", "old/a", "old/b/c", "older", "new/x"])
        try session.expect(
            """
            $ mv --prefix old new --dry-run
            old/a would become new/a
            old/b/c would become new/b/c
            $ mv old/ new/ --prefix
            ! caret: mv: not a terminal: pass --yes to confirm
            !   run: caret help mv
            [2]
            $ mv --prefix old/ '' --yes
            ! caret: mv: NAME: found "", expected a prefix that is not empty
            !   run: caret help mv
            [2]
            $ mv --prefix old/b new --yes --json
            {"doc":"new/c","was":"old/b/c","renamed":true}
            $ mv --prefix old/ new/ --yes
            old/a is now new/a
            $ mv --prefix old/ new/ --yes
            ! caret: there is no document below old/
            !   `caret ls` lists the documents that you may read
            [1]
            $ cat new/c
            old/b/c
            $ mv old new/a --dry-run
            ! caret: old cannot become new/a: a document with the new name exists
            ! caret: 1 of 1 document cannot be renamed; nothing was changed
            !   choose another name, or rename these documents one by one
            [1]
            $ mv old new/d --dry-run --json
            {"doc":"new/d","was":"old","renamed":false}
            $ mv nope new/d --dry-run
            ! caret: nope: there is no such document (not_found)
            !   `caret ls` lists the documents that you may read
            [1]
            """)
        #expect(try names(on: session) == ["new/a", "new/c", "new/x", "old", "older"])
    }

    @Test("if one new name cannot be used, `mv --prefix` renames nothing")
    func obstacles() throws {
        let documents = ["new/b", "old/a", "old/b", "old/c"]
        let session = try session(documents)
        try session.expect(
            """
            $ mv --prefix old/ new/ --yes
            ! caret: old/b cannot become new/b: a document with the new name exists
            ! caret: 1 of 3 documents cannot be renamed; nothing was changed
            !   choose another name, or rename these documents one by one
            [1]
            $ mv --prefix old/ new/ --dry-run --json
            {"doc":"new/a","was":"old/a","renamed":false}
            {"doc":"new/c","was":"old/c","renamed":false}
            ! {"error":"old/b cannot become new/b: a document with the new name exists","advice":null,"code":1}
            ! {"error":"1 of 3 documents cannot be renamed; nothing was changed","advice":"…","code":1}
            [1]
            $ mv --prefix new/ new/sub/ --yes
            ! caret: new/b cannot become new/sub/b: the new name also begins with the old prefix
            ! caret: 1 of 1 document cannot be renamed; nothing was changed
            !   choose another name, or rename these documents one by one
            [1]
            $ mv --prefix new/ ../ --yes
            ! caret: new/b cannot become ../b: the new name is not a valid document name
            ! caret: 1 of 1 document cannot be renamed; nothing was changed
            !   choose another name, or rename these documents one by one
            [1]
            """)
        #expect(try names(on: session) == documents)
    }

    @Test("the new name of a document has the new prefix, or an obstacle")
    func plan() throws {
        let taken: Set = [try DocumentName("b/x")]
        for (old, from, to, new, obstacle) in [
            ("a/x", "a/", "c/", "c/x", nil), ("a/x", "a/", "b/", "b/x", .exists),
            // The first name has U+00E9, the second one U+0065 and U+0301. They are different names.
            ("e\u{301}/x", "e\u{301}/", "\u{E9}/", "\u{E9}/x", nil),
            ("a/b/x", "a/b/", "a/", "a/x", nil), ("a/b/b/x", "a/b/", "a/", "a/b/x", .hasOldPrefix),
            ("a/x", "a/", "a/", "a/x", .hasOldPrefix), ("a/x", "a/", "/", "/x", .badName),
        ] as [(String, String, String, String, PlannedRename.Obstacle?)] {
            let rename = PlannedRename(old, from: from, to: to, taken: taken)
            #expect(rename.new.utf8.elementsEqual(new.utf8) && rename.obstacle == obstacle, "\(rename)")
            #expect((rename.problem == nil) == (obstacle == nil))
        }
        let longest = String(repeating: "n", count: DocumentName.longest - 2)
        #expect(PlannedRename("a/" + longest, from: "a/", to: "b/", taken: []).obstacle == nil)
        #expect(PlannedRename("a/" + longest, from: "a/", to: "bb/", taken: []).obstacle == .badName)
        // A single document can get a name that begins with its old name.
        #expect(PlannedRename("a", to: "a/b", taken: []).obstacle == nil)
    }

    @Test("documents that the user may not change stay, others are changed")
    func refused() throws {
        let session = try session(["d/a", "d/b", "d/c"], ["--require-tokens=true"])
        let grants = ["--read", "d/", "--write", "=d/a", "--write", "=d/c"]
        let made = try session.caret(["token", "add", "ann", "--data", session.data] + grants)
        let token = try #require(made.output.split(separator: "\n").first.map(String.init))
        let run = try session.caret(["rm", "--prefix", "d", "--yes", "--token", token])
        #expect(run.status == 1 && run.output == "d/a is deleted\nd/c is deleted\n", "\(run)")
        let errors = run.errors.split(separator: "\n")
        #expect(
            errors.first?.hasPrefix("caret: d/b: ") == true && errors.first?.contains("(forbidden)") == true)
        #expect(
            errors.suffix(2) == [
                "caret: 2 of 3 documents are deleted, 1 refused",
                "  fix the problems above, and run the same command again: it continues with the rest",
            ], "\(run)")
        // Somebody who may change the document finishes with the same command.
        try session.expect("$ rm --prefix d --yes --data DIR/data\nd/b is deleted")
    }

    /// A page of a list with the documents `d/0` to `d/19`.
    private static let listed: String = {
        let documents = (0..<20).map { #"{"doc":"d/\#($0)","epoch":"e.1","rev":1,"length":1,"updated":0}"# }
        return #""type":"listed","docs":[\#(documents.joined(separator: ","))]"#
    }()

    @Test("if the disk is full, the error counts the documents that are deleted")
    func stopped() throws {
        let session = try CommandSession(nil)
        let done = #""type":"done""#
        let full = #""type":"error","code":"storage_full","message":"the disk is full""#
        let fake = try FakeServer(
            in: session,
            inTurn: ["list": [Self.listed], "delete": Array(repeating: done, count: 9) + [full]])
        let run = try session.caret(["rm", "--prefix", "d/", "--yes", "--socket", fake.path])
        let rows = run.output.split(separator: "\n")
        #expect(
            run.status == 1 && rows.count == 9 && rows.allSatisfy { $0.hasSuffix(" is deleted") }, "\(run)")
        #expect(
            run.errors.contains("(storage_full); 9 of 20 documents are deleted, 11 not changed\n"), "\(run)")
        #expect(run.errors.hasSuffix("  run the same command again: it continues with the rest\n"), "\(run)")
    }

    @Test("a lost connection is reported with the number of missing answers")
    func lost() throws {
        let session = try CommandSession(nil)
        let done = #""type":"done""#
        let fake = try FakeServer(
            in: session, inTurn: ["list": [Self.listed], "delete": Array(repeating: done, count: 10) + [""]])
        let run = try session.caret(["rm", "--prefix", "d/", "--yes", "--socket", fake.path])
        // The client may notice the end of the connection before it has read the last two answers.
        let counts = try #require(
            run.errors.firstMatch(of: /; (\d+) of 20 documents are deleted, (\d+) without an answer, 4 not/))
        let (changed, unknown) = (Int(counts.1) ?? 0, Int(counts.2) ?? 0)
        #expect(run.status == 3 && 8...10 ~= changed && changed + unknown == 16, "\(run)")
    }

    @Test("`rm` deletes no other documents, even if a server ignores the prefix")
    func otherNames() throws {
        let session = try CommandSession(nil)
        let fake = try FakeServer(in: session, ["list": Self.listed])
        let run = try session.caret(["rm", "--prefix", "e/", "--yes", "--socket", fake.path])
        #expect(run.status == 1 && run.errors.hasPrefix("caret: there is no document below e/\n"), "\(run)")
    }

    @Test("`rm` and `mv` with --prefix change more documents than one page has")
    func pages() throws {
        let session = try CommandSession(["--limit-page", "4 KiB"])
        let folder = session.folder.appending(path: "in")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let ending = String(repeating: "n", count: 200)
        for number in 100..<160 { try Data("x".utf8).write(to: folder.appending(path: "\(number)\(ending)")) }
        #expect(try session.caret(["import", folder.path, "old"]).status == 0)
        let moved = try session.caret(["mv", "--prefix", "old", "new", "--yes"])
        #expect(moved.status == 0 && moved.output.split(separator: "\n").count == 60, "\(moved)")
        #expect(try names(on: session) == (100..<160).map { "new/\($0)\(ending)" })
        // The server is stopped, so the command works on its files.
        session.stop()
        let removed = try session.caret(["rm", "--prefix", "new", "-y", "--data", session.data])
        #expect(removed.status == 0 && removed.output.split(separator: "\n").count == 60, "\(removed)")
        #expect(try names(on: session).isEmpty)
    }

    @Test("on a terminal, `rm` and `mv` ask once with the number of documents")
    func questions() throws {
        let session = try session(["old/a", "old/b"])
        let cases: [([String], String, String?)] = [
            (
                ["mv", "--prefix", "old", "new"], "Rename 2 documents below old/ to names below new/? [y/N]",
                "new/a"
            ),
            (["rm", "--prefix", "new"], "Delete 2 documents below new/ with 2 revisions? [y/N]", nil),
        ]
        for (words, question, first) in cases {
            let before = try names(on: session)
            for answer in ["n", "y"] {
                let screen = try TerminalScreen(words, on: session)
                try screen.waits { $0 == question }
                try screen.type(answer)
                #expect(try screen.ended() == (answer == "y" ? 0 : 1))
                let after = try names(on: session)
                #expect(answer == "n" ? after == before : after.first == first, "\(words): \(after)")
            }
        }
    }
}

import Foundation
import TestSupport
import Testing

@Suite("Subcommands of caret for administrators", .serialized) struct AdministrationTests {
    @Test("`caret who` lists connections and their open documents")
    func who() throws {
        let session = try CommandSession()
        try session.expect(
            """
            $ put notes/today --create << x⏎
            notes/today: saved as revision 1
            $ who
            …	anonymous	p-…	127.0.0.1:…	…Z	
            $ who --data DIR/data --json
            {"number":…,"user":"admin","client":"p-…","peer":"unix","since":"…Z","docs":[],"behind":[],"node":null}
            $ who notes/today
            [4]
            $ who nope
            ! caret: nope: there is no such document (not_found)
            !   `caret ls` lists the documents that you may read
            [1]
            $ who notes/today@1
            ! caret: who: DOC: found "notes/today@1", expected a document without a revision
            !   run: caret help who
            [2]
            """)
        // A document stays open while its editor runs.
        let who = "\(ChildProgram.path(of: "caret")) who notes/today --data \(session.data)"
        let asking = "\(who) >\(session.data)/said; touch"
        let edit = try session.caret(["edit", "notes/today"], environment: ["EDITOR": asking])
        #expect(edit.status == 0, "\(edit)")
        let said = try String(contentsOfFile: session.data + "/said", encoding: .utf8)
        #expect(said.hasSuffix("\tnotes/today\n") && said.contains("\tanonymous\tp-"), "\(said)")
        session.stop()
        try session.expect(
            """
            $ who --data DIR/data
            ! caret: DIR/data/caretd.sock: …
            !   start caretd, or pass its address with --server, --socket or --data
            [3]
            """)
    }

    @Test("`caret top` prints one line for each reading of the counters")
    func top() throws {
        try CommandSession().expect(
            """
            $ put a --create << x⏎
            a: saved as revision 1
            $ put a << y⏎
            a: saved as revision 2
            $ top --count 1
            …Z	1	1	…	…	…	…	…	…	…	…
            $ top --count 2 -i 0.1
            …Z	1	1	…	…	…	…	…	…	…	…
            …Z	1	1	0.0	0.0	0.0	0.0	…	…	…	…
            $ top --count 1 --json
            {"time":"…Z","since":"…Z","milliseconds":…,"counters":{"connections":1,…,"pushes":2,…},"came":{"connections_opened":…},"latencies":{"commit":{"count":…,"p50":…,"p99":…,"max":…},…}}
            $ rm a -y
            a is deleted
            $ top --count 1 --json
            {…"open_rooms":0,…"rooms_opened":1,"rooms_closed":1,…}
            $ top --count 0
            ! caret: top: --count: found "0", expected a whole number from 1
            !   run: caret help top
            [2]
            $ top -i 0
            ! caret: top: --interval: found "0", expected seconds from 0.1 to 3600
            !   run: caret help top
            [2]
            $ top --server 127.0.0.1:1
            ! caret: 127.0.0.1:1: Connection refused
            !   start caretd, or pass its address with --server, --socket or --data
            [3]
            """)
    }

    @Test("deleted documents are listed and restored")
    func undelete() throws {
        try CommandSession().expect(
            """
            $ ls --deleted
            $ put notes/old --create << one⏎
            notes/old: saved as revision 1
            $ rm notes/old -y
            notes/old is deleted
            $ ls --deleted
            1	notes/old	1	4	…Z	…Z
            $ ls b --deleted
            $ ls notes/ --deleted --json
            {"number":1,"doc":"notes/old","rev":1,"length":4,"updated":"…Z","deleted":"…Z"}
            $ undelete notes
            ! caret: there is no deleted document notes
            !   `caret ls --deleted` lists the documents that can be restored
            [1]
            $ undelete notes/old
            notes/old is back, at revision 1
            $ cat notes/old
            one
            $ rm notes/old -y
            notes/old is deleted
            $ put notes/old --create << two⏎
            notes/old: saved as revision 1
            $ undelete notes/old
            ! caret: notes/old: … (exists)
            !   choose another name, or rename the existing document first
            [1]
            $ rm notes/old -y
            notes/old is deleted
            $ undelete notes/old
            ! caret: 2 deleted documents had the name notes/old: 1, deleted …Z; 2, deleted …Z
            !   choose one with --number
            [1]
            $ undelete notes/old --number 3
            ! caret: there is no deleted document notes/old with number 3
            !   `caret ls --deleted` lists the documents that can be restored
            [1]
            $ undelete notes/old -n 2 --json
            {"doc":"notes/old","number":2,"rev":1,"undeleted":true}
            $ cat notes/old
            two
            $ undelete notes/old -n x
            ! caret: undelete: --number: found "x", expected a whole number from 1
            !   run: caret help undelete
            [2]
            """)
    }

    @Test("`trim` deletes history, and --dry-run only prints what it would delete")
    func trim() throws {
        try CommandSession().expect(
            """
            $ put a --create << 1⏎
            a: saved as revision 1
            $ put a << 2⏎
            a: saved as revision 2
            $ put a << 3⏎
            a: saved as revision 3
            $ trim a
            ! caret: trim: DOC@REV or --before WHEN is missing
            !   run: caret help trim
            [2]
            $ trim a@2
            ! caret: trim: not a terminal: pass --yes to confirm
            !   run: caret help trim
            [2]
            $ trim a@2 --before 2
            ! caret: trim: @REV and --before cannot be combined
            !   run: caret help trim
            [2]
            $ trim a --before 1x
            ! caret: trim: --before: found "1x", expected a revision (900), …
            !   run: caret help trim
            [2]
            $ trim a --before 1h --yes
            a: unchanged: its history begins at revision 0
            $ trim a@1 --dry-run
            a: would delete 1 revision (up to revision 1, whose text stays)
            $ trim a --before 2 --dry-run --json
            {"doc":"a","rev":2,"start":2,"revisions":2,"trimmed":false}
            $ trim a@2 -y
            a: deleted 2 revisions (up to revision 2, whose text stays)
            $ stat a --json
            {"doc":"a","epoch":"…","rev":3,"length":2,"bytes":2,"lines":1,"newline":"lf","first":3,"created":null,"updated":"…Z","user":"anonymous"}
            $ trim a@2 -y --json
            {"doc":"a","rev":2,"start":null,"revisions":0,"trimmed":false}
            $ cat a@2
            2
            $ cat a@1
            ! caret: a: … (base_trimmed)
            !   use a newer revision: `caret log` lists those that are kept
            [1]
            $ trim a@9 -y
            ! caret: a: the requested revision is beyond the head 3 (base_ahead)
            !   `caret log` lists the revisions
            [1]
            """)
    }

    @Test("`redact` first reports, and with --yes removes a passage from every revision")
    func redact() throws {
        try CommandSession().expect(
            """
            $ put a --create << my sword⏎
            a: saved as revision 1
            $ put a << my swordfish⏎
            a: saved as revision 2
            $ redact a << swordfish⏎
            a: 1 revision contains the passage, and the newest text has it 1 time
            anonymous wrote it in 2 revisions, from 1 (…Z) to 2 (…Z)
            remove other backups and archives that were made before, and copies on other machines
            nothing was changed; with --yes, 2 revisions would be rewritten for good
            $ cat a
            my swordfish
            $ redact a << shark
            a: no revision and no note contains the passage
            [4]
            $ redact a << ⏎
            ! caret: a: passage: must contain more than line breaks (bad_message)
            [1]
            $ redact b << x
            ! caret: b: there is no such document (not_found)
            !   `caret ls` lists the documents that you may read
            [1]
            $ redact a --json << swordfish
            {"doc":"a","containing":1,"notes":0,"in_head":1,"changed":2,"authors":[{"user":"anonymous","revisions":2,"first":1,"last":2,"since":"…Z","until":"…Z"}],"backups":[],"more":false,"erased":false,"redacted":false}
            $ redact a --yes << swordfish⏎
            a: 1 revision contained the passage, and the newest text had it 1 time
            anonymous wrote it in 2 revisions, from 1 (…Z) to 2 (…Z)
            remove other backups and archives that were made before, and copies on other machines
            the passage is removed from 2 revisions and from every text made of them
            $ cat a
            my *********
            $ cat a@1
            my *****
            """)
    }

    @Test("after trimming, the lines of older revisions have no author")
    func trimmedLines() throws {
        try CommandSession().expect(
            """
            $ put a --create << x⏎
            a: saved as revision 1
            $ put a << x⏎y⏎
            a: saved as revision 2
            $ trim a@1 -y
            a: deleted 1 revision (up to revision 1, whose text stays)
            $ blame a
            1			x
            2	anonymous	…Z	y
            $ blame a --json
            {"line":1,"rev":1,"user":null,"time":null,"text":"x"}
            {"line":2,"rev":2,"user":"anonymous","time":"…Z","text":"y"}
            $ tail a
            2 … anonymous
                line 2 +y⏎
            $ stat a
            name:                 a
            epoch:                …
            revision:             2
            UTF-16 code units:    4
            bytes of UTF-8:       4
            lines:                2
            line breaks in files: lf
            oldest kept revision: 2
            created:              unknown
            last changed:         …Z
            last changed by:      anonymous
            """)
    }

    @Test("a running server verifies and backs up its store")
    func care() throws {
        let session = try CommandSession()
        try session.expect(
            """
            $ put a --create << 1⏎
            a: saved as revision 1
            $ put b --create << 1⏎
            b: saved as revision 1
            $ verify
            sound: 2 documents, 2 revisions
            $ verify --data DIR/data --json
            {"sound":true,"documents":2,"revisions":2,"findings":[],"more":false}
            $ verify --document a
            sound: 1 document, 1 revision
            $ verify --document nope
            ! caret: nope: there is no such document (not_found)
            !   `caret ls` lists the documents that you may read
            [1]
            $ backup
            backups/caret-….sqlite in the server's data folder: sound, 2 documents, … bytes
            $ backup --json
            {"file":"caret-….sqlite","bytes":…,"documents":2}
            $ backup --data DIR/data
            DIR/data/backups/caret-….sqlite: sound, 2 documents, … bytes
            $ backup DIR/copy
            ! caret: backup: --data … is missing
            !   run: caret help backup
            [2]
            $ backup DIR/copy --data DIR/data
            DIR/copy: sound, 2 documents, … bytes
            $ backup DIR/copy --data DIR/data
            ! caret: DIR/copy: already exists
            !   choose another name
            [1]
            $ verify DIR/copy
            sound: 2 documents, 2 revisions, 0 snapshots, 2 pushers, 0 tokens
            """)
        let made = try session.caret(["backup", session.folder.path + "/no/copy", "--data", session.data])
        #expect(
            made.status == 1
                && made.errors.contains("No such file or directory\n  the backup is complete; it is in "))
        // The backups without a FILE stay in the server's folder.
        let kept = try FileManager.default.contentsOfDirectory(atPath: session.data + "/backups")
        #expect(kept.count == 4, "\(kept)")
    }

    @Test(
        "a backup moved to another disk is complete, and its original is gone",
        .enabled(if: OtherDisk.isThere, "this machine has no second disk for the test"))
    func otherDisk() throws {
        let session = try CommandSession()
        #expect(try session.caret(["put", "a", "--create"], input: "one\n").status == 0)
        let folder = OtherDisk.path + "/caret-\(UUID().uuidString)"
        let path = folder + "/copy"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        // If this fails, the folder stays in /dev/shm, which harms no test.
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let made = try session.caret(["backup", path, "--data", session.data])
        #expect(made.status == 0, "\(made)")
        // The folder has only the backup: no partial file is left under any name.
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder) == ["copy"])
        try session.expect(
            "$ verify \(path)\nsound: 1 document, 1 revision, 0 snapshots, 1 pusher, 0 tokens")
        #expect(try FileManager.default.contentsOfDirectory(atPath: session.data + "/backups").isEmpty)
    }

    @Test("the second page of a list of tokens begins after the first page")
    func tokenPages() throws {
        let session = try CommandSession(nil)
        let rest = #""created":0,"grants":[]"#
        let fake = try FakeServer(
            in: session,
            inTurn: [
                "list_tokens": [
                    #""type":"tokens","tokens":[{"number":1,"user":"ann",\#(rest)},{"number":2,"user":"bob",\#(rest)}],"more":true"#,
                    #""type":"tokens","tokens":[{"number":3,"user":"after AFTER",\#(rest)}]"#,
                ]
            ])
        let run = try session.caret(["token", "list", "--socket", fake.path])
        let rows = run.output.split(separator: "\n").map { $0.split(separator: "\t").prefix(2) }
        #expect(rows == [["1", "ann"], ["2", "bob"], ["3", "after 2"]], "\(run)")
    }

    @Test("a list of tokens shows their ends and last uses")
    func tokenEnds() throws {
        let session = try CommandSession(nil)
        let (past, future) = (1_000_000_000_000, 4_000_000_000_000)
        let fake = try FakeServer(
            in: session,
            [
                "list_tokens":
                    #""type":"tokens","tokens":[{"number":1,"user":"ann","created":0,"expires":\#(past),"last_use":\#(past - 1),"grants":[]},{"number":2,"user":"bob","created":0,"expires":\#(future),"grants":[]},{"number":3,"damaged":true}]"#
            ])
        let list = ["token", "list", "--socket", fake.path]
        let rows = try session.caret(list).output.split(separator: "\n").map {
            $0.split(separator: "\t", omittingEmptySubsequences: false).map(String.init)
        }
        #expect(
            rows.map { $0.dropFirst(3) } == [
                ["ended 2001-09-09T01:46:40.000Z", "2001-09-09T01:46:39.999Z", ""],
                ["2096-10-02T07:06:40.000Z", "never", ""], ["", "", "damaged: cannot be used"],
            ])
        let json = try session.caret(list + ["--json"]).output
        #expect(json.contains(#""expires":\#(past),"last_use":\#(past - 1),"#))
        #expect(json.contains(#""expires":\#(future),"last_use":null,"#))
    }

    @Test("`token add --expires` gives a token an end, which `token list` shows")
    func addedEnd() throws {
        let session = try CommandSession()
        let data = ["--data", session.data]
        let before = Date()
        for (user, end) in [("ann", "30d"), ("bob", "2090-01-02T03:04:05Z")] {
            let run = try session.caret(["token", "add", user, "--read", "", "--expires", end] + data)
            #expect(run.status == 0, "\(run)")
        }
        let json = try session.caret(["token", "list", "--json"] + data).output
        let ends = try json.matches(of: /"expires":([0-9]+)/).map { try #require(Int($0.1)) }
        try #require(ends.count == 2)
        let month = 30 * 86_400_000
        let earliest = Int(before.timeIntervalSince1970 * 1_000) + month
        #expect((earliest...Int(Date().timeIntervalSince1970 * 1_000) + month).contains(ends[0]))
        #expect(ends[1] == 3_787_009_445_000)
    }

    @Test("`caret share` makes links, lists them and ends them")
    func share() throws {
        let session = try CommandSession(["--require-tokens=true", "--share-links=true"])
        try session.expect(
            """
            $ put agenda --create --data DIR/data << x⏎
            agenda: saved as revision 1
            $ share agenda --data DIR/data
            $ share agenda --write 30d --data DIR/data --json
            {"number":1,"token":"caret_1_…","url":"http://127.0.0.1:…/d/agenda#link=caret_1_…"}
            $ share agenda --data DIR/data --json
            {"number":1,"user":"link/1/1","created":"…Z","expires":…,"last_use":null,"grants":[{"rights":"write","doc":"agenda"}]}
            $ share agenda --read 31d
            ! caret: share: --read: found "31d", expected a time of at most 30 days, such as 12h or 7d
            !   run: caret help share
            [2]
            $ share agenda --end 1 --data DIR/data
            link 1 to agenda has ended
            $ share agenda --end 1 --data DIR/data
            ! caret: agenda: the document has no link with this number (not_found)
            !   `caret ls` lists the documents that you may read
            [1]
            """)
        let made = try session.caret(["share", "agenda", "--read", "12h", "--data", session.data])
        let link = try #require(made.output.firstMatch(of: /#link=(caret_2_\w+)\n$/)).1
        let reading = try session.caret(["cat", "agenda"], environment: ["CARET_TOKEN": String(link)])
        #expect(reading.output == "x\n", "\(reading)")
    }

    @Test("subcommands for administrators need a token with all rights")
    func rights() throws {
        let session = try CommandSession(["--require-tokens=true"])
        let data = ["--data", session.data]
        let made = try session.caret(["token", "add", "ann", "--write", ""] + data)
        let ann = ["CARET_TOKEN": made.output.split(separator: "\n").first.map(String.init) ?? ""]
        #expect(try session.caret(["put", "a", "--create"], input: "x", environment: ann).status == 0)
        for words in [
            ["who"], ["nodes"], ["top"], ["trim", "a@1", "-y"],
            ["redact", "a"],
            ["verify"],
            ["backup"],
        ] {
            let run = try session.caret(words, environment: ann)
            #expect(run.status == 1 && run.errors.contains("(forbidden)"), "\(words): \(run)")
        }
        // Rule A8.
        #expect(try session.caret(["rm", "a", "-y"], environment: ann).status == 0)
        let deleted = try session.caret(["ls", "--deleted"], environment: ann).output
        #expect(deleted.hasPrefix("1\ta\t1\t1\t"))
        let undeleted = try session.caret(["undelete", "a"], environment: ann).output
        #expect(undeleted == "a is back, at revision 1\n")
    }
}

/// A folder on another disk than the temporary folder.
private enum OtherDisk {
    static let path = "/dev/shm"

    static var isThere: Bool {
        var (here, there) = (stat(), stat())
        let areKnown =
            stat(FileManager.default.temporaryDirectory.path, &here) == 0 && stat(path, &there) == 0
        return areKnown && here.st_dev != there.st_dev && access(path, W_OK) == 0
    }
}

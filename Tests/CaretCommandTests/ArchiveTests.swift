import CaretCommand
import CaretCore
import CaretLog
import CaretStore
import Foundation
import TestSupport
import Testing

@Suite("Archives with whole histories", .serialized) struct ArchiveTests {
    @Test("`export` and `import` copy whole histories to another data folder")
    func transcript() throws {
        let session = try CommandSession()
        try exported(on: session)
        try imported(on: session)
        let here = try session.caret(["log", "notes/a", "--json"])
        let there = try session.caret([
            "log", "old/notes/a", "--json", "--data", session.folder.path + "/new",
        ])
        #expect(here.output == there.output && here.output.contains("\"client\":\"p-"))
        let files = try FileManager.default.contentsOfDirectory(atPath: session.folder.path)
        #expect(!files.contains { $0.contains("partial") })
    }

    private func exported(on session: CommandSession) throws {
        try session.expect(
            """
            $ put notes/a --create << one⏎two⏎
            notes/a: saved as revision 1
            $ put notes/a << one⏎2⏎
            notes/a: saved as revision 2
            $ put notes/a << one⏎2⏎three⏎
            notes/a: saved as revision 3
            $ trim notes/a@1 -y
            notes/a: deleted 1 revision (up to revision 1, whose text stays)
            $ put b --create << x
            b: saved as revision 1
            $ export DIR/all.caret-archive
            DIR/all.caret-archive: 2 documents, 3 revisions, … bytes
            $ export DIR/all.caret-archive
            ! caret: DIR/all.caret-archive: already exists
            !   choose another name, or pass --force to replace the file
            [1]
            $ export DIR/all.caret-archive notes --force --json
            {"documents":1,"revisions":2,"bytes":…}
            $ export DIR/no/all.caret-archive
            ! caret: DIR/no/all.caret-archive: No such file or directory
            [1]
            """)
    }

    private func imported(on session: CommandSession) throws {
        try session.expect(
            """
            $ import DIR/all.caret-archive
            ! caret: import: --data … is missing
            !   run: caret help import
            [2]
            $ import DIR/all.caret-archive --data DIR/data
            ! caret: DIR/data: a server runs on this folder
            !   stop the server: an archive can be imported only while no server runs
            [1]
            $ import DIR/all.caret-archive --data DIR/new
            DIR/new: imported 1 document, 2 revisions
            $ cat notes/a@1 --data DIR/new
            one
            two
            $ cat notes/a@2 --data DIR/new
            one
            2
            $ cat notes/a@0 --data DIR/new
            ! caret: notes/a: … (base_trimmed)
            !   use a newer revision: `caret log` lists those that are kept
            [1]
            $ import DIR/all.caret-archive --data DIR/new
            ! caret: notes/a: a document with this name already exists
            !   nothing was imported; pass a PREFIX, or rename the existing documents
            [1]
            $ import DIR/all.caret-archive old --data DIR/new --json
            {"documents":1,"revisions":2}
            $ ls --data DIR/new
            notes/a	3	12	…Z
            old/notes/a	3	12	…Z
            $ verify --data DIR/new
            sound: 2 documents, 4 revisions, 2 snapshots, 4 pushers, 0 tokens
            $ put notes/a --data DIR/new << changed⏎
            notes/a: saved as revision 4
            $ import DIR/none.caret-archive --data DIR/new
            ! caret: DIR/none.caret-archive: cannot be read: No such file or directory
            [1]
            $ import DIR/all.caret-archive --data DIR
            ! caret: DIR: not a data folder of caretd: No such file or directory
            !   pass the folder that caretd uses (its option --data)
            [1]
            """)
    }

    @Test("`export --deleted` includes deleted documents, which can be restored")
    func deleted() throws {
        let session = try CommandSession()
        try session.expect(
            """
            $ put a --create << old⏎
            a: saved as revision 1
            $ put a << older⏎
            a: saved as revision 2
            $ tag a@1 first
            a@first: revision 1
            $ trim a@1 -y
            a: deleted 1 revision (up to revision 1, whose text stays)
            $ rm a -y
            a is deleted
            $ put a --create << new⏎
            a: saved as revision 1
            $ export DIR/a.caret-archive --deleted --data DIR/data
            ! caret: DIR/data: a server runs on this folder
            !   stop the server: deleted documents can be exported only while no server runs
            [1]
            $ export DIR/a.caret-archive --deleted
            ! caret: export: --data … is missing
            !   run: caret help export
            [2]
            $ export DIR/a --deleted --data DIR/data
            ! caret: export: NAME.caret-archive is missing
            !   run: caret help export
            [2]
            """)
        session.stop()
        try session.expect(
            """
            $ export DIR/a.caret-archive --deleted --data DIR/data
            DIR/a.caret-archive: 2 documents, 2 revisions, … bytes
            $ import DIR/a.caret-archive --data DIR/new
            DIR/new: imported 2 documents, 2 revisions
            $ cat a --data DIR/new
            new
            $ mv a b --data DIR/new
            a is now b
            $ undelete a --data DIR/new
            a is back, at revision 2
            $ cat a@first --data DIR/new
            old
            $ cat a --data DIR/new
            older
            $ undelete a --data DIR/data
            ! caret: a: … (exists)
            !   choose another name, or rename the existing document first
            [1]
            """)
    }

    @Test(
        "an imported history has the same edits, authors and times",
        .enabled(if: TraceFolder.reasonForAbsence == nil))
    func roundTrip() async throws {
        let name = Seeds.isFullRun ? "automerge-paper" : "sveltecomponent"
        let (session, trace) = (try CommandSession(nil), try Trace(named: name))
        let (source, target) = (session.data, session.folder.path + "/new")
        try await FolderTests.fill(source, with: trace)
        let file = session.folder.path + "/a.caret-archive"
        for arguments in [["export", file, "--data", source], ["import", file, "--data", target]] {
            let began = ContinuousClock.now
            let run = try session.caret(arguments)
            #expect(run.status == 0, "\(run)")
            print("caret \(arguments[0]) of \(name): \(ContinuousClock.now - began)\n\(run.output)")
        }
        let (here, there) = (try await history(in: source), try await history(in: target))
        #expect(here.count == trace.edits.count && here.count == there.count)
        for (one, other) in zip(here, there) {
            guard one.edits != other.edits || one.time != other.time || one.pusher.user != other.pusher.user
            else { continue }
            Issue.record("\(one) came as \(other)")
            break
        }
        let last = try session.caret(["cat", "a", "--data", target])
        #expect(last.output == trace.end)
        let logs = try [source, target].map {
            try session.caret(["log", "a", "-n", "1000", "--data", $0]).output
        }
        #expect(logs[0] == logs[1])
    }

    @Test("a history of several pages is exported and imported completely")
    func manyRevisions() async throws {
        let session = try CommandSession(nil)
        var text = TextBuffer()
        let changes = try (1...2_500).map { number in
            let edit = try Edit(Offset(0)..<Offset(0), "\(number % 10)")
            let logged = try LoggedEdit(edit, in: text)
            try text.apply(edit)
            return LoggedChange(
                pusher: SampleLog.ann, seq: Int64(number), time: 1_790_000_000_000 + Int64(number),
                edits: [logged])
        }
        try await FolderTests.fill(session.data, with: changes)
        try session.expect(
            """
            $ export DIR/a.caret-archive --data DIR/data
            DIR/a.caret-archive: 1 document, 2500 revisions, … bytes
            $ import DIR/a.caret-archive --data DIR/new
            DIR/new: imported 1 document, 2500 revisions
            """)
        let target = session.folder.path + "/new"
        #expect(try session.caret(["cat", "a", "--data", target]).output == text.string)
        let logs = try [session.data, target].map {
            try session.caret(["log", "a", "--all", "--data", $0]).output
        }
        #expect(logs[0] == logs[1] && logs[0].split(separator: "\n").count == 2_500)
        let blame = try session.caret(["blame", "a", "--data", target]).output
        #expect(blame.hasPrefix("2500\t") && blame.hasSuffix("\t\(text.string)\n"))
    }

    @Test("a deleted document keeps its revisions and line breaks in an archive")
    func deletedRevisions() throws {
        let session = try CommandSession()
        let texts = ["1\r\n", "1\r\n2\r\n", "1\r\n2\r\n3\r\n"]
        for text in texts {
            #expect(try session.caret(["put", "a", "--create"], input: text).status == 0)
        }
        try session.expect("$ rm a -y\na is deleted")
        session.stop()
        try session.expect(
            """
            $ export DIR/a.caret-archive --deleted --data DIR/data
            DIR/a.caret-archive: 1 document, 3 revisions, … bytes
            $ import DIR/a.caret-archive --data DIR/new
            DIR/new: imported 1 document, 3 revisions
            $ undelete a --data DIR/new
            a is back, at revision 3
            """)
        for (index, text) in texts.enumerated() {
            let run = try session.caret(["cat", "a@\(index + 1)", "--data", session.folder.path + "/new"])
            #expect(run.output == text)
        }
    }

    @Test("an archive has one line for each document, revision and check")
    func format() throws {
        let session = try CommandSession()
        #expect(try session.caret(["put", "a", "--create"], input: "1\r\n2\r\n").status == 0)
        try session.expect(
            """
            $ put b --create << one⏎
            b: saved as revision 1
            $ put b << two⏎
            b: saved as revision 2
            $ trim b@2 -y
            b: deleted 2 revisions (up to revision 2, whose text stays)
            $ export DIR/a.caret-archive
            DIR/a.caret-archive: 2 documents, 1 revision, … bytes
            """)
        let path = session.folder.path + "/a.caret-archive"
        let lines = try Run("/usr/bin/env", ["zcat", path], environment: [:]).output
            .replacing(#/"(epoch|client|server|sha256)":"[^"]+"/#) { "\"\($0.output.1)\":\"…\"" }
            .replacing(#/"(made|updated|time)":\d+/#) { "\"\($0.output.1)\":0" }
        #expect(
            lines.split(separator: "\n") == [
                #"{"type":"archive","version":1,"made":0,"server":"…"}"#,
                #"{"type":"document","doc":"a","epoch":"…","rev":1,"start":0,"newline":"crlf","updated":0}"#,
                #"{"type":"revision","rev":1,"user":"anonymous","client":"…","time":0,"edits":[{"range":[0,0],"text":"1\n2\n"}]}"#,
                #"{"type":"check","doc":"a","rev":1,"length":4,"crc32":"69e17861"}"#,
                #"{"type":"document","doc":"b","epoch":"…","rev":2,"start":2,"text":"two\n","newline":"lf","updated":0}"#,
                #"{"type":"check","doc":"b","rev":2,"length":4,"crc32":"96170874"}"#,
                #"{"type":"end","documents":2,"revisions":1,"sha256":"…"}"#,
            ])
        // An existing empty folder is used like a missing one.
        try FileManager.default.createDirectory(
            atPath: session.folder.path + "/new", withIntermediateDirectories: true)
        try session.expect(
            """
            $ import DIR/a.caret-archive --data DIR/new
            DIR/new: imported 2 documents, 1 revision
            $ cat b --data DIR/new
            two
            $ import DIR/a.caret-archive --data DIR/new
            ! caret: a: a document with this name already exists, and 1 more of the archive
            !   nothing was imported; pass a PREFIX, or rename the existing documents
            [1]
            """)
        let cat = try session.caret(["cat", "a", "--data", session.folder.path + "/new"])
        #expect(cat.output == "1\r\n2\r\n")
    }

    @Test("names of revisions are exported and imported, up to the limit")
    func tags() throws {
        let session = try CommandSession()
        try session.expect(
            """
            $ put a --create << one⏎
            a: saved as revision 1
            $ put a << two⏎
            a: saved as revision 2
            $ put a << three⏎
            a: saved as revision 3
            $ tag a@2 draft
            a@draft: revision 2
            $ tag a final
            a@final: revision 3
            $ export DIR/a.caret-archive
            DIR/a.caret-archive: 1 document, 3 revisions, … bytes
            $ import DIR/a.caret-archive --data DIR/new
            DIR/new: imported 1 document, 3 revisions
            $ cat a@draft --data DIR/new
            two
            """)
        let folders = [[], ["--data", session.folder.path + "/new"]]
        let lists = try folders.map { try session.caret(["tag", "a", "--json"] + $0).output }
        #expect(lists[0] == lists[1] && lists[0].contains("draft"))

        let path = session.folder.path + "/a.caret-archive"
        let text = try Run("/usr/bin/env", ["zcat", path], environment: [:]).output
        let part = try #require(text.firstRange(of: #/"tags":\[.*?\]/#))
        // The archive was changed, so without another fault its checksum is wrong.
        for (count, message) in [
            (1_000, "the checksum does not match the lines before it"),
            (1_001, "the document has 1001 named revisions; the limit is 1000"),
        ] {
            let tags = (0..<count).map { #"{"name":"t\#($0)","rev":1,"user":"a","time":1}"# }
            let list = "\"tags\":[\(tags.joined(separator: ","))]"
            let found = try failure(text.replacingCharacters(in: part, with: list).utf8, session)
            #expect(found?.message.hasSuffix(message) == true, "\(String(describing: found))")
        }
    }

    @Test("a line compressed in several pieces is decompressed unchanged")
    func longLine() throws {
        let session = try CommandSession(nil)
        let (plain, packed) = (session.folder.path + "/plain", session.folder.path + "/packed.gz")
        // Pieces have up to 16 MiB, and each one gets different bytes here.
        let bytes = [UInt8]([1, 2, 3].flatMap { [UInt8](repeating: $0, count: 12 << 20) })
        try Data(bytes).write(to: URL(filePath: plain))
        let output = try GzipOutput(packed)
        try output.write(bytes)
        #expect(try output.finish() > 0)
        let script = "gzip -dc \"$1\" | cmp - \"$2\""
        let run = try Run("/bin/sh", ["-c", script, "sh", packed, plain], environment: [:])
        #expect(run.status == 0, "\(run)")
    }

    @Test("`export` fails if a new document takes an exported name meanwhile")
    func replaced() throws {
        let session = try CommandSession(nil)
        func text(_ revision: Int, _ text: String, epoch: String = "e.1") -> String {
            #""type":"text","doc":DOC,"epoch":"\#(epoch)","rev":\#(revision),"text":"\#(text)","newline":"lf""#
        }
        let archive = session.folder.path + "/a.caret-archive"
        // The export reads the document before and after its pages of history. In this test the pages always
        // produce the text `x`.
        let (x, y, x2) = (text(1, "x"), text(1, "y"), text(1, "x", epoch: "e.2"))
        let (empty, empty2) = (text(0, ""), text(0, "", epoch: "e.2"))
        for (first, start, last, isSame) in [
            (x, empty, x, true), (x, empty, x2, false), (y, empty, x, false), (x, empty2, x, false),
        ] {
            let fake = try FakeServer(
                in: session,
                inTurn: [
                    "list": [
                        #""type":"listed","docs":[{"doc":"a","epoch":"e.1","rev":1,"length":1,"updated":0}]"#
                    ],
                    "history": [
                        #""type":"revisions","doc":DOC,"revisions":[{"rev":1,"user":"u","client":"c","time":0,"inserted":1,"deleted":0,"edits":[{"range":[0,0],"text":"x"}]}]"#
                    ],
                    "list_tags": [#""type":"tags","doc":DOC,"tags":[]"#],
                    "read": [first, start, last],
                ])
            let run = try session.caret(["export", archive, "--socket", fake.path])
            #expect(run.status == (isSame ? 0 : 1), "\(run)")
            let isSaid = run.errors.contains("a: another document took this name during the export")
            #expect(isSaid == !isSame, "\(run)")
            #expect(FileManager.default.fileExists(atPath: archive) == isSame)
            for file in [archive, fake.path] { unlink(file) }
        }
    }

    private func history(in folder: String) async throws -> [LoggedChange] {
        let store = try SQLiteStore(folder: folder)
        let entry = try await store.find(try DocumentName("a")).get()
        let found = try await store.read(entry.id, after: 0, limit: .max).get().segment.changes
        await store.close()
        return found
    }

    /// An archive of two documents. One of them has a longer text.
    private func sample(on session: CommandSession) throws -> [UInt8] {
        let text = (0..<40).map { "\($0 * 7_919 % 10_007) words\n" }.joined()
        #expect(try session.caret(["put", "a", "--create"], input: text).status == 0)
        #expect(try session.caret(["put", "a"], input: text + "é😀").status == 0)
        #expect(try session.caret(["put", "b", "--create"], input: "b").status == 0)
        let path = session.folder.path + "/sample.caret-archive"
        #expect(try session.caret(["export", path]).status == 0)
        return Array(try Data(contentsOf: URL(filePath: path)))
    }

    /// Reads these bytes as an archive. Returns the failure, or nil if the archive is valid.
    private func failure(_ bytes: some Collection<UInt8>, _ session: CommandSession) throws -> Failure? {
        let path = session.folder.path + "/read.caret-archive"
        try Data(bytes).write(to: URL(filePath: path))
        do throws(Failure) {
            let reader = try ArchiveReader(path, prefix: "")
            while try reader.next() != nil {}
            return nil
        } catch {
            return error
        }
    }

    @Test("`import` refuses a truncated archive and names the line where it ends")
    func cut() throws {
        let session = try CommandSession()
        let bytes = try sample(on: session)
        #expect(try failure(bytes, session) == nil)
        for count in 0..<bytes.count {
            let failure = try failure(bytes.prefix(count), session)
            #expect(
                failure?.message.contains(": the file ends after line ") == true,
                "\(count) bytes: \(String(describing: failure))")
        }
        session.stop()
        let before = try session.caret(["verify", "--data", session.data]).output
        for share in [0, 1, 3, 5, 7] {
            let part = session.folder.path + "/part.caret-archive"
            try Data(bytes.prefix(bytes.count * share / 8)).write(to: URL(filePath: part))
            let run = try session.caret(["import", part, "new", "--data", session.data])
            #expect(
                run.status == 1
                    && run.errors.contains("cut off, or is not an archive\n  nothing was imported"),
                "\(run)")
        }
        #expect(try session.caret(["verify", "--data", session.data]).output == before)
    }

    @Test("an archive is read even if its gzip header fills the first block")
    func longHeader() throws {
        var bytes = try sample(on: try CommandSession())
        // A flag in the gzip header announces a file name. The name is so long that the first block of bytes
        // that caret reads has no compressed data.
        bytes[3] |= 0x08
        bytes.insert(contentsOf: [UInt8](repeating: 0x61, count: 200_000) + [0], at: 10)
        #expect(try failure(bytes, try CommandSession(nil)) == nil)
    }

    @Test("`import` refuses an archive with a changed byte")
    func changed() throws {
        let session = try CommandSession()
        var bytes = try sample(on: session)
        // The first ten bytes are the gzip header. Some of them, such as the time of the compression, are not
        // checked.
        for index in 10..<bytes.count {
            // Changes the lowest bit, because the other bits of the last packed byte can be padding.
            bytes[index] ^= 0x01
            #expect(try failure(bytes, session) != nil, "byte \(index)")
            bytes[index] ^= 0x01
        }
    }

    @Test("bytes after the end of an archive are refused, compressed or not")
    func trailing() throws {
        let session = try CommandSession()
        let bytes = try sample(on: session)
        for extra in [[0], [0x1F], Array("x\n".utf8), [UInt8](repeating: 0, count: 300_000), bytes] {
            let found = try failure(bytes + extra, session)
            #expect(
                found?.message.contains("there is data after the end") == true,
                "\(extra.count): \(String(describing: found))")
        }
    }

    @Test("a compression bomb is refused before it fills the memory")
    func bomb() throws {
        let session = try CommandSession(nil)
        let head = #"{"type":"archive","version":1,"made":0,"server":"x"}"#
        let document = #"{"type":"document","doc":"a","epoch":"e","rev":1,"start":1,"text":""#
        for (start, message) in [
            ("", "line 1: the line has more than 65536 bytes"),
            (head + "\n" + document, "line 2: the line has more than "),
        ] {
            let path = session.folder.path + "/bomb.caret-archive"
            let program =
                "(printf '%s' \"$1\"; head -c 500000000 /dev/zero | tr '\\0' a) | gzip -1 >\"$2\""
            #expect(try Run("/bin/sh", ["-c", program, "sh", start, path], environment: [:]).status == 0)
            let run = try session.caret(["import", path, "--data", session.data])
            #expect(run.errors.contains(message), "\(run)")
        }
    }

    @Test(
        "`import` refuses an unexpected line, with its position and the reason",
        arguments: [
            (
                #""rev":2,"user""#, #""rev":3,"user""#,
                "line 4, in a after revision 1: found revision 3, expected revision 2"
            ),
            (
                #""rev":2,"start":0"#, #""rev":3,"start":0"#,
                "line 5, in a after revision 2: the history ends at revision 2, expected revision 3"
            ),
            (
                #""rev":2,"start":0"#, #""rev":1,"start":0"#,
                "line 4, in a after revision 1: found revision 2, but the document ends at revision 1"
            ),
            (
                #""version":1"#, #""version":2"#,
                "line 1: the archive has version 2; this caret reads version 1"
            ),
            (#""type":"archive""#, #""type":"check""#, "line 1: check: doc is missing, at byte 0"),
            (
                #""rev":2,"user":"anonymous""#, #""rev":2,"user":"a\u001b[2J""#,
                "line 4, in a after revision 1: revision 2 has an invalid user a␛[2J"
            ),
            (
                #""rev":2,"user":"anonymous","client":""#, #""rev":2,"user":"anonymous","client":"\u202e"#,
                "line 4, in a after revision 1: revision 2 has an invalid client <U+202E>p-"
            ),
            (
                #""newline":"lf""#, #""newline":"lf","tags":[{"name":"1","rev":1,"user":"a","time":1}]"#,
                "line 2: the name 1 of revision 1 is invalid"
            ),
            (
                #""newline":"lf""#, #""newline":"lf","tags":[{"name":"v","rev":3,"user":"a","time":1}]"#,
                "line 2: the name v of revision 3 is invalid"
            ),
            (#""doc":"b","epoch""#, #""doc":"a","epoch""#, "line 6: a second document has the name a"),
            (
                #""doc":"b","epoch""#, #""doc":"/","epoch""#,
                "line 6: the document / has an invalid name or text"
            ),
            (
                #"[0,0],"text":"b""#, #"[0,1],"text":"b""#,
                "line 7, in b after revision 0: the edits of revision 1 do not fit the text of revision 0"
            ),
            (
                #""documents":2"#, #""documents":3"#,
                "line 9: found 2 documents and 3 revisions, expected 3 and 3"
            ),
            (
                #""user":"anonymous""#, #""user":"somebody""#,
                "line 9: the checksum does not match the lines before it"
            ),
            (
                "\"text\":\"b\"", "\"text\":\"c\"",
                "line 8, in b after revision 1: the history does not lead to the text that was exported"
            ),
        ])
    func lines(old: String, new: String, message: String) throws {
        let session = try CommandSession()
        _ = try sample(on: session)
        // An unpacked archive can be read too, so the test can edit its lines.
        let path = session.folder.path + "/sample.caret-archive"
        let text = try Run("/usr/bin/env", ["zcat", path], environment: [:]).output
        #expect(try failure(text.utf8, session) == nil)
        let found = try failure(text.replacing(old, with: new, maxReplacements: 1).utf8, session)
        #expect(found?.message.contains(": \(message)") == true, "\(String(describing: found))")
        let twice = try failure((text + text).utf8, session)
        #expect(
            twice?.message.hasSuffix("line 10: there is data after the end of the archive") == true,
            "\(String(describing: twice))")
    }
}

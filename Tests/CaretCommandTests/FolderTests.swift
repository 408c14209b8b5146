import CaretCommand
import CaretCore
import CaretLog
import CaretStore
import Foundation
import Glibc
import TestSupport
import Testing

@Suite("`caret` on the data folder of a stopped server", .serialized) struct FolderTests {
    @Test("subcommands for a server also work on the files of a stopped server")
    func files() throws {
        let session = try CommandSession()
        try session.expect(
            """
            $ put a --create << one⏎
            a: saved as revision 1
            $ verify --data DIR/data
            sound: 1 document, 1 revision
            """)
        session.stop()
        try session.expect(
            """
            $ cat a
            ! caret: 127.0.0.1:…: Connection refused
            !   start caretd, or pass its address with --server, --socket or --data
            [3]
            $ ping --data DIR/data
            ! caret: DIR/data: no server runs on this folder: DIR/data/caretd.sock: …
            !   start caretd --data DIR/data
            [3]
            $ cat a --data DIR/data
            one
            $ put a --data DIR/data << two⏎
            a: saved as revision 2
            $ token add ann --admin '' --data DIR/data
            caret_1_…
            $ verify --data DIR/data
            sound: 1 document, 2 revisions, 0 snapshots, 2 pushers, 1 token
            $ backup DIR/copy --data DIR/data
            sound: 1 document, 2 revisions, 0 snapshots, 2 pushers, 1 token
            $ backup DIR/copy --data DIR/data
            ! caret: DIR/copy: already exists
            !   choose another name
            [1]
            $ verify DIR/copy --json
            {"sound":true,"documents":1,"revisions":2,"snapshots":0,"pushers":2,"tokens":1,"findings":[],"more":false}
            $ ls --data DIR
            ! caret: DIR: not a data folder of caretd: No such file or directory
            !   pass the folder that caretd uses (its option --data)
            [1]
            $ verify DIR
            ! caret: DIR: …
            [1]
            """)
        // The temporary server has removed its socket.
        let names = try FileManager.default.contentsOfDirectory(atPath: session.data)
        #expect(!names.contains("caret.sock"), "\(names)")
    }

    @Test("root creates no files in the data folder of another user", .enabled(if: geteuid() == 0))
    func root() throws {
        let session = try CommandSession()
        try session.expect("$ put a --create << one⏎\na: saved as revision 1")
        session.stop()
        let before = try FileManager.default.contentsOfDirectory(atPath: session.data).sorted()
        try FileManager.default.setAttributes([.ownerAccountID: 65_534], ofItemAtPath: session.data)
        for words in ["ls", "verify", "backup DIR/copy"] {
            try session.expect(
                """
                $ \(words) --data DIR/data
                ! caret: DIR/data: it belongs to the user nobody, whose server could not open files made by root
                !   run caret as that user: sudo -u nobody caret …
                [1]
                """)
        }
        #expect(try FileManager.default.contentsOfDirectory(atPath: session.data).sorted() == before)
    }

    @Test("texts beyond the default limits also work without a server")
    func wideLimits() throws {
        let session = try CommandSession(["--limit-document", "8 MiB", "--limit-line", "64 MiB"])
        let text = String(repeating: "a line of a text that is long\n", count: 160_000)
        #expect(try session.caret(["put", "a", "--create"], input: text).status == 0)
        session.stop()
        let data = ["--data", session.data]
        let put = try session.caret(["put", "a"] + data, input: text + "and one more\n")
        #expect(put.status == 0 && put.output == "a: saved as revision 2\n", "\(put)")
        let cat = try session.caret(["cat", "a"] + data)
        // The outputs are compared outside of `#expect`, because a failing `#expect` inspects every character
        // of a large value.
        let isWhole = cat.output.utf8.elementsEqual((text + "and one more\n").utf8)
        #expect(cat.status == 0 && isWhole, "\(cat.errors)")
    }

    @Test("`verify` exits with 4 for damage, with and without a server")
    func damage() throws {
        let session = try CommandSession()
        try session.damage("a")
        let run = try session.caret(["verify", "--data", session.data])
        #expect(run.status == 4 && run.output.contains(" finding"), "\(run)")
        let alone = try findings(on: session)
        try session.start()
        let served = try findings(on: session)
        #expect(alone == served && alone.contains("\"number\":1"), "\(alone)\n\(served)")
    }

    @Test("`export` names a damaged deleted document, and writes no archive")
    func damagedDeleted() throws {
        let session = try CommandSession()
        try session.damage("a")
        try session.expect(
            """
            $ rm a -y --data DIR/data
            a is deleted
            $ export DIR/a.caret-archive --deleted --data DIR/data
            ! caret: a: cannot be read: …
            [1]
            """)
        let files = try FileManager.default.contentsOfDirectory(atPath: session.folder.path)
        #expect(!files.contains { $0.hasPrefix("a.caret-archive") || $0.contains("partial") }, "\(files)")
    }

    /// A session without a server yet, and the store of its data folder.
    private func sessionAndStore() throws -> (CommandSession, SQLiteStore) {
        let session = try CommandSession(nil)
        try FileManager.default.createDirectory(atPath: session.data, withIntermediateDirectories: true)
        return (session, try SQLiteStore(folder: session.data))
    }

    @Test("`export --deleted` includes more documents than fit one page")
    func manyDeleted() async throws {
        let (session, store) = try sessionAndStore()
        let names = try (0..<1_001).map { try DocumentName("\($0)") }
        let now = Int64(Date().timeIntervalSince1970 * 1_000)
        await withTaskGroup(of: Void.self) { group in
            for name in names {
                group.addTask {
                    guard case .created(let entry) = await store.create(name, at: now) else { return }
                    _ = await store.delete(entry.id, at: now)
                }
            }
        }
        await store.close()
        try session.expect(
            """
            $ export DIR/a.caret-archive --deleted --data DIR/data
            DIR/a.caret-archive: 1001 documents, 0 revisions, … bytes
            """)
    }

    /// The mark is what a server writes that has found the end passed, before the clock is set back by a day.
    @Test("a server that starts with an earlier clock refuses a token that was found ended")
    func endedToken() async throws {
        let (session, store) = try sessionAndStore()
        let end = Int64(Date().timeIntervalSince1970 * 1_000) + 86_400_000
        let (ended, valid) = (
            try await store.addToken(of: UserName("ann"), .all, expires: end).get(),
            try await store.addToken(of: UserName("bob"), .all, expires: end).get()
        )
        #expect(await store.noteEnds(of: [ended.token]) == nil)
        await store.close()
        try session.start(["--require-tokens"])
        let refused = try session.caret(["ls"], environment: ["CARET_TOKEN": ended.bytes.string])
        #expect(refused.status == 1 && refused.errors.contains("the token ended at "), "\(refused)")
        let run = try session.caret(["ls"], environment: ["CARET_TOKEN": valid.bytes.string])
        #expect(run.status == 0, "\(run)")
    }

    @Test("a finding of `verify` names the document, its number, or the store")
    func findingWords() {
        for (document, number, words) in [
            ("a", 1, "a: x"), (nil, 1, "document number 1: x"), (nil, nil, "the store: x"),
        ] as [(String?, Int?, String)] {
            #expect(Verify.Finding(document: document, number: number, fault: "x").words == words)
        }
    }

    private func findings(on session: CommandSession) throws -> String {
        let run = try session.caret(["verify", "--data", session.data, "--json"])
        #expect(run.status == 4, "\(run)")
        let start = try #require(run.output.range(of: "\"findings\":"))
        return String(run.output[start.lowerBound...])
    }

    @Test(
        "`blame` and `log` print every line of a long recorded history",
        .enabled(if: TraceFolder.reasonForAbsence == nil))
    func longHistory() async throws {
        let name = Seeds.isFullRun ? "automerge-paper" : "sveltecomponent"
        let (session, trace) = (try CommandSession(nil), try Trace(named: name))
        try await FolderTests.fill(session.data, with: trace)
        let data = ["--data", session.data]
        for (command, lines) in [
            // A line break at the end does not begin another line.
            (
                "blame",
                trace.end.utf8.split(separator: 0x0A, omittingEmptySubsequences: false).count
                    - (trace.end.utf8.last == 0x0A ? 1 : 0)
            ),
            ("log", trace.edits.count),
        ] {
            let arguments = [command, "a"] + (command == "log" ? ["--all"] : []) + data
            let began = ContinuousClock.now
            let run = try session.caret(arguments)
            let took = ContinuousClock.now - began
            let count = run.output.utf8.count { $0 == 0x0A }
            #expect(run.status == 0 && count == lines, "\(command): \(run.errors)")
            print("caret \(command) of \(trace.edits.count) revisions of \(name): \(took)")
        }
    }

    /// Creates a store with one document, `a`, which has the history of `trace`.
    static func fill(_ folder: String, with trace: Trace) async throws {
        try await fill(folder, with: try TypedHistory.changes(of: trace))
    }

    /// Creates a store with one document, `a`, which has these changes.
    static func fill(_ folder: String, with changes: [LoggedChange]) async throws {
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        let store = try SQLiteStore(folder: folder)
        let name = try DocumentName("a")
        guard case .created(let entry) = await store.create(name, at: 1_790_000_000_000) else {
            throw UnexpectedResult()
        }
        #expect(await TypedHistory.commit(changes, to: entry, in: store, atOnce: 128))
        await store.close()
    }
}

import CaretClient
import Foundation
import TestSupport
import Testing

/// Without PostgreSQL on this machine, `PostgresStoreTests` has a failing test that says so.
@Suite(
    "`caret move`", .serialized, .enabled(if: (try? PostgresCluster.shared.get()) != nil))
struct MoveCommandTests {
    private let allowed = "--allow-unreplicated"

    @Test("a store is moved to PostgreSQL and back, and clients go on where they were")
    func bothWays() async throws {
        let store = try PostgresCluster.shared.get().newAddress()
        let session = try CommandSession()
        try session.expect(
            """
            $ put notes/today --create << one⏎
            notes/today: saved as revision 1
            $ put gone --create << old⏎
            gone: saved as revision 1
            $ rm gone --yes
            gone is deleted
            """)
        // The path of the socket stays the same.
        let client = LiveClient(session.socket)
        let before = try await client.read("notes/today")
        let document = try await client.open("notes/today").opened()
        session.stop()
        try document.append("typed while no server runs\n")

        try session.expect(
            """
            $ move --from DIR/data --to '\(store)' \(allowed)
            \(store): moved 2 documents, 2 revisions, 0 tokens
            start the servers with --store '\(store)'
            """)
        let options = ["--store", store, "--allow-unreplicated=true"]
        try session.start(options)
        try await document.saved()
        // A base of the old store: another epoch would be refused.
        let other = LiveClient(session.socket, .oneShot)
        try await other.push("zero\n" + before.text, to: "notes/today", since: before)
        try session.expect(
            """
            $ cat notes/today
            zero
            one
            typed while no server runs
            $ undelete gone
            gone is back, at revision 1
            """)
        session.stop()

        try session.expect(
            """
            $ move --from '\(store)' --to DIR/new --json
            {"from":"…","to":"DIR/new","documents":2,"revisions":4,"snapshots":…,"pushers":…,"tokens":0,"copied_before":false,"changed_since":false}
            $ cat gone --data DIR/new
            old
            $ log notes/today --data DIR/new -n 1 --json
            {"rev":3,…
            $ verify --data DIR/new
            sound: 2 documents, 4 revisions, …
            """)
        #expect(throws: CommandSession.DidNotStart.self) { try session.start(options) }
    }

    @Test("a command on the old folder says where the documents are")
    func oldFolder() throws {
        let store = try PostgresCluster.shared.get().newAddress()
        let session = try CommandSession()
        session.stop()
        let moved = try session.caret(["move", "--from", session.data, "--to", store, allowed])
        #expect(moved.status == 0, "\(moved)")
        try session.expect(
            """
            $ ls --data DIR/data
            ! caret: DIR/data: its documents were moved to \(store) on …; start the server with that store, or rename caret.sqlite.moved to caret.sqlite to use the old one
            [1]
            $ verify --data DIR/data
            ! caret: DIR/data: its documents were moved to \(store) on …; start the server with that store, or rename caret.sqlite.moved to caret.sqlite to use the old one
            [1]
            """)
        do {
            try session.start()
            Issue.record("a server has started on the old folder")
        } catch let fault as CommandSession.DidNotStart {
            #expect(fault.output.contains("its documents were moved to \(store)"), "\(fault.output)")
        }
    }

    @Test("until a killed move is finished, the old folder is refused; a second run finishes it")
    func secondRun() throws {
        let store = try PostgresCluster.shared.get().newAddress()
        let session = try sessionAfterKilledMove(to: store)
        let refusal = """
            a move of its documents to \(store) began on 2026-03-01 and has not ended; run the same caret move again \
            to finish it, or caret move --from STORE --undo to use the old store again
            """
        do {
            try session.start()
            Issue.record("a server has started on the old folder")
        } catch let fault as CommandSession.DidNotStart {
            #expect(fault.output.contains(refusal), "\(fault.output)")
        }
        try session.expect(
            """
            $ ls --data DIR/data
            ! caret: DIR/data: \(refusal)
            [1]
            $ move --from DIR/data --to '\(store)' \(allowed)
            \(store): an earlier run has copied everything; this store has 1 document, 1 revision, 0 tokens
            DIR/data: not changed since the copy; the move is finished, so servers refuse this store
            start the servers with --store '\(store)'
            $ move --from DIR/data --to '\(store)' \(allowed)
            ! caret: DIR/data: its documents were moved to \(store) on …; start the server with that store, or rename caret.sqlite.moved to caret.sqlite to use the old one
            [1]
            $ move --from DIR/data --undo
            ! caret: DIR/data: its documents were moved to \(store) on …; start the server with that store, or rename caret.sqlite.moved to caret.sqlite to use the old one
            [1]
            $ move --from '\(store)' --to DIR/new
            DIR/new: moved 1 document, 1 revision, 0 tokens
            start the servers with --data DIR/new
            """)
    }

    @Test("`--undo` lets servers use the old store again")
    func undo() throws {
        let cluster = try PostgresCluster.shared.get()
        let store = cluster.newAddress()
        let session = try sessionAfterKilledMove(to: store)
        try session.expect(
            """
            $ move --from DIR/data --undo
            DIR/data: a move of its documents to \(store) began on 2026-03-01 and has not ended; it is undone, and servers can use this store again
            do not start servers on the other store: it may have a copy
            $ cat notes/today --data DIR/data
            one
            $ move --from DIR/data --undo
            ! caret: DIR/data: there is no unfinished move to undo, so servers can use this store
            [1]
            $ move --from DIR/data --undo --to '\(store)'
            ! caret: move: --to and --undo cannot be combined
            !   run: caret help move
            [2]
            $ move --from DIR/data --to '\(store)' \(allowed) --json
            {"from":"DIR/data","to":…,"tokens":0,"copied_before":true,"changed_since":false}
            $ move --from '\(store)' --undo
            ! caret: \(store): there is no unfinished move to undo, so servers can use this store
            [1]
            $ move --from '\(store)' --to DIR/new
            DIR/new: moved 1 document, 1 revision, 0 tokens
            start the servers with --data DIR/new
            $ move --from '\(store)' --undo
            ! caret: \(store): its documents were moved to DIR/new on …
            [1]
            """)
        let schema = try #require(store.split(separator: "%3D").last)
        try cluster.execute("UPDATE \(schema).caret_moved SET state = 'CA002'")
        try session.expect(
            """
            $ move --from '\(store)' --undo --json
            {"from":"…","undone":true}
            """)
        try session.start(["--store", store, "--allow-unreplicated=true"])
        try session.expect(
            """
            $ cat notes/today
            one
            """)
    }

    /// A session whose folder has one document and an unfinished move.
    private func sessionAfterKilledMove(to store: String) throws -> CommandSession {
        let session = try CommandSession()
        try session.expect(
            """
            $ put notes/today --create << one⏎
            notes/today: saved as revision 1
            """)
        session.stop()
        try moveAndKill(session, to: store)
        return session
    }

    /// Moves the folder, and makes it as it was just before the last step of the move.
    private func moveAndKill(_ session: CommandSession, to store: String) throws {
        let moved = try session.caret(["move", "--from", session.data, "--to", store, allowed])
        #expect(moved.status == 0, "\(moved)")
        let database = session.data + "/caret.sqlite"
        try FileManager.default.moveItem(atPath: database + ".moved", toPath: database + ".moving")
        try Data("a move of its documents to \(store) began on 2026-03-01 and has not ended\n".utf8).write(
            to: URL(filePath: session.data + "/caret.moved"))
    }

    @Test("a move that is not possible says why, and what to do")
    func refused() throws {
        let store = try PostgresCluster.shared.get().newAddress()
        let session = try CommandSession()
        try session.expect(
            """
            $ move --from DIR/data --to '\(store)' \(allowed)
            ! caret: DIR/data: another server has locked the folder
            !   stop that server, or connect to it with --server or --socket
            [1]
            """)
        session.stop()
        try session.expect(
            """
            $ move --from DIR/data --to '\(store)'
            ! caret: nothing was moved: PostgreSQL has no synchronous standby (synchronous_standby_names is empty), so the loss of its disk would lose acked changes; set up a standby, or allow this with --allow-unreplicated
            [1]
            $ move --from DIR/none --to '\(store)' \(allowed)
            ! caret: DIR/none: not a data folder of caretd: No such file or directory
            !   pass the folder that caretd uses (its option --data)
            [1]
            $ move --from DIR/data
            ! caret: move: --to STORE is missing
            !   run: caret help move
            [2]
            $ move --from DIR/data --to DIR/other
            ! caret: move: --to: found "DIR/other", expected an address that begins with postgres://
            !   run: caret help move
            [2]
            $ move --from '\(store)' --to postgres://ann:secret@db/caret
            ! caret: move: --to: found "postgres://…", expected an address of PostgreSQL: it contains a password; put the password into the file that PGPASSFILE names
            !   run: caret help move
            [2]
            $ move --from DIR/data --to 'postgres:///none?host=DIR' \(allowed) --json
            ! {"error":"nothing was moved: PostgreSQL cannot be reached: …","advice":null,"code":1}
            [1]
            $ move --from DIR/data --to '\(store)' --data DIR/data
            ! caret: move: --data and --from cannot be combined
            !   run: caret help move
            [2]
            $ move --from '\(store)' --to DIR/new
            ! caret: nothing was moved: there is no store in the database
            !   check the address of the old store
            [1]
            """)
        try FileManager.default.copyItem(atPath: session.data, toPath: session.data + "-copy")
        try session.expect(
            """
            $ move --from DIR/data --to '\(store)' \(allowed)
            \(store): moved 0 documents, 0 revisions, 0 tokens
            start the servers with --store '\(store)'
            $ move --from '\(store)' --to DIR/data-copy
            ! caret: nothing was moved: DIR/data-copy/caret.sqlite exists, and a move never replaces a store
            !   move to a new or empty folder
            [1]
            """)
    }

    @Test("a damaged store is not moved, and its damage is listed")
    func damaged() throws {
        let store = try PostgresCluster.shared.get().newAddress()
        let session = try CommandSession()
        try session.damage("broken")
        try session.expect(
            """
            $ move --from DIR/data --to '\(store)' \(allowed)
            the store: the file: …
            broken: the document's history is damaged
            2 findings: 1 document, 0 revisions, 0 snapshots, 0 pushers, 0 tokens
            ! caret: DIR/data: the store is damaged, so nothing was moved
            !   restore a backup, or export what can be read
            [4]
            """)
    }
}

import CaretCore
import CaretFormat
import CaretLog
import CaretPostgres
import CaretStore
import Foundation
import TestSupport
import Testing

@Suite("Moves between a data folder and PostgreSQL", .enabled(if: StoreKind.durable.contains(.postgres)))
struct StoreMoveTests {
    @Test("everything is moved there and back, and every row is as it was")
    func bothWays() async throws {
        let sample = try await MovedSample()
        defer { sample.remove() }
        let before = try rows(of: SQLiteMoveSource(sample.path).rows)
        #expect(MovedTable.allCases.allSatisfy { before[$0]?.isEmpty == false })

        let address = try PostgresCluster.shared.get().newAddress()
        let outcome = try moved(SQLiteMoveSource(sample.path), postgresTarget(address), to: address)
        #expect(outcome.report.isSound && outcome.report.documents == 6 && outcome.report.tokens == 2)
        #expect(outcome.copy == .made)
        let store = try opened(address)
        #expect(store.generation == sample.generation)
        try await sample.requireAll(in: store, store)
        await store.close()

        let back = try Scratch()
        defer { back.remove() }
        #expect(
            try moved(
                PostgresMoveSource(try PostgresAddress(address)), SQLiteMoveTarget(back.path), to: back.path)
                == outcome)
        #expect(try rows(of: SQLiteMoveSource(back.path).rows) == before)
        let again = try SQLiteStore(folder: back.path) { event in
            if case .renewed = event { Issue.record("\(event)") }
        }
        #expect(again.generation == sample.generation)
        try await sample.requireAll(in: again, again)
        #expect(try await again.findings().isEmpty)
        await again.close()
    }

    @Test("no table and no column of the stores is forgotten")
    func columns() throws {
        let moved = MovedTable.allCases.map { table in
            (table.rawValue, Set(table.columns.map { $0.name(in: .postgres) }))
        }
        let folder = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../migrations")
        // These describe the servers and the place of the store.
        var postgres = try columns(of: folder.appending(path: "postgres"))
        for table in ["store", "node", "lane"] { #expect(postgres.removeValue(forKey: table) != nil) }
        #expect(postgres == Dictionary(uniqueKeysWithValues: moved))

        var sqlite = try columns(of: folder).mapValues { columns in
            Set(columns.map { $0 == "user" ? "username" : $0 }).subtracting(["sum", "grants_sum"])
        }
        #expect(sqlite.removeValue(forKey: "store") != nil)
        // A segment has a number of its own only in SQLite, and a token is there in three tables.
        sqlite["segment"]?.remove("id")
        for table in ["token_end", "token_use"] {
            let columns = sqlite.removeValue(forKey: table) ?? []
            sqlite["token"]?.formUnion(columns.subtracting(["token"]))
        }
        #expect(sqlite == Dictionary(uniqueKeysWithValues: moved))
    }

    /// The columns of all tables that the migrations of a folder create.
    private func columns(of folder: URL) throws -> [String: Set<String>] {
        var tables: [String: Set<String>] = [:]
        let files = try FileManager.default.contentsOfDirectory(atPath: folder.path).filter {
            $0.hasSuffix(".sql")
        }
        for file in files.sorted() {
            var table = ""
            for line in try String(contentsOf: folder.appending(path: file), encoding: .utf8).split(
                separator: "\n")
            {
                let words = line.split { " (,".contains($0) }.map(String.init)
                if line.hasPrefix("CREATE TABLE") { tables[words[2]] = [] }
                if line.hasPrefix("CREATE TABLE") || line.hasPrefix("ALTER TABLE") { table = words[2] }
                if let place = words.firstIndex(of: "COLUMN") { tables[table]?.insert(words[place + 1]) }
                let isColumn =
                    line.hasPrefix("    ")
                    && words[0].allSatisfy { $0.isLowercase || $0.isNumber || $0 == "_" }
                if isColumn { tables[table]?.insert(words[0]) }
            }
        }
        return tables
    }

    @Test("the new store accepts writes, and does not reuse any number")
    func numbers() async throws {
        let sample = try await MovedSample()
        defer { sample.remove() }
        let address = try PostgresCluster.shared.get().newAddress()
        _ = try moved(SQLiteMoveSource(sample.path), postgresTarget(address), to: address)
        let store = try opened(address)
        let token = try await store.addToken(of: UserName("eve"), Grants.all).get()
        #expect(token.token.value == sample.lastToken.value + 1)
        guard case .created(let entry) = await store.create(try DocumentName("later")) else {
            throw Unexpected(what: "the document was not created")
        }
        #expect(entry.id.value == sample.lastDocument.value + 1)
        var document = sample.documents[2]
        document.store = store
        try await document.type("more", by: Pusher(user: "new", client: "author"))
        #expect(try await store.findings() == [])
        await store.close()
    }

    @Test("servers refuse to start on the old store")
    func retired() async throws {
        let sample = try await MovedSample()
        defer { sample.remove() }
        let address = try PostgresCluster.shared.get().newAddress()
        _ = try moved(SQLiteMoveSource(sample.path), postgresTarget(address), to: "postgres://db/caret")
        let note = "its documents were moved to postgres://db/caret on 2026-03-01"
        #expect(throws: OpeningFault.moved(note)) { try SQLiteStore(folder: sample.path) }
        // A server of an earlier version ignores the note. It still refuses, because the database is missing.
        try FileManager.default.removeItem(atPath: sample.path + "/caret.moved")
        #expect { try SQLiteStore(folder: sample.path) } throws: { fault in
            guard case OpeningFault.missingDatabase(_?) = fault else { return false }
            return true
        }

        let back = try Scratch()
        defer { back.remove() }
        _ = try moved(
            PostgresMoveSource(try PostgresAddress(address)), SQLiteMoveTarget(back.path), to: "/srv/it's")
        #expect(throws: PostgresOpeningFault.moved("its documents were moved to /srv/it's on 2026-03-01")) {
            try opened(address)
        }
    }

    @Test("a server that was cut off during the move cannot write to the old database")
    func fence() async throws {
        let cluster = try PostgresCluster()
        let address = cluster.newAddress()
        let store = try opened(address)
        var document = try await TrackedDocument(on: store)
        try await document.type("kept")
        // From now on, its connection for such appends knows the author.
        let locked = try document.append([SampleChange.edit(0, 0, "locked")], seq: 5)
        #expect(
            await store.appendLocked(locked, rebase: { _ in locked.changes }).outcome == .committed(head: 5))
        try document.follow(locked)
        // The number of its lock no longer matches, as if its connection had been lost.
        try cluster.execute("UPDATE store_1.node SET number = DEFAULT")
        let folder = try Scratch()
        defer { folder.remove() }
        _ = try moved(
            PostgresMoveSource(try PostgresAddress(address)), SQLiteMoveTarget(folder.path), to: folder.path)
        let late = try document.append([SampleChange.edit(0, 0, "late")], seq: 99)
        #expect(await store.append(late) == .diskFailed)
        #expect(await store.appendLocked(late, rebase: { _ in late.changes }).outcome == .diskFailed)
        #expect(await store.create(try DocumentName("late")) == .refused(.failed))
        let moved = try SQLiteStore(folder: folder.path)
        #expect(try await moved.text(of: document.entry.id).get().text == document.text)
        await moved.close()
        await store.close()
    }

    @Test("a server cannot start during a move")
    func startDuringMove() async throws {
        let address = try PostgresCluster.shared.get().newAddress()
        let target = try postgresTarget(address)
        #expect {
            try PostgresStore(
                PostgresAddress(address), node: "test", allowsUnreplicated: true, patience: 300)
        } throws: {
            if case PostgresOpeningFault.cannotConnect = $0 { true } else { false }
        }
        withExtendedLifetime(target) {}
    }

    @Test("a store that is in use is not moved, and a store with documents is not overwritten")
    func refused() async throws {
        let cluster = try PostgresCluster.shared.get()
        let sample = try await MovedSample()
        defer { sample.remove() }
        let full = cluster.newAddress()
        let store = try opened(full)
        _ = try await TrackedDocument(on: store)
        expect(refusal: "the server test uses the database") { try postgresTarget(full) }
        await store.close()
        expect(refusal: "the database has documents or tokens already") { try postgresTarget(full) }

        let running = try SQLiteStore(folder: sample.path)
        expect(refusal: "another server has locked the folder") { try SQLiteMoveSource(sample.path) }
        await running.close()
        expect(refusal: "caret.sqlite exists") { try SQLiteMoveTarget(sample.path) }

        let unused = try PostgresAddress(cluster.newAddress())
        for _ in 0..<2 {
            expect(refusal: "there is no store in the database") { try PostgresMoveSource(unused) }
        }

        let unreplicated = cluster.newAddress()
        expect(refusal: "PostgreSQL has no synchronous standby") {
            try PostgresMoveTarget(try PostgresAddress(unreplicated), allowsUnreplicated: false)
        }
    }

    @Test("a damaged store is not moved")
    func damaged() async throws {
        let sample = try await MovedSample()
        defer { sample.remove() }
        let database = try Database(path: sample.path + "/caret.sqlite", for: .write)
        try database.run("UPDATE segment SET body = zeroblob(9) WHERE document = 1")
        _ = try database.checkpoint(.whole)
        let address = try PostgresCluster.shared.get().newAddress()
        #expect {
            try moved(SQLiteMoveSource(sample.path), postgresTarget(address), to: address)
        } throws: {
            if case StoreMoveFault.damaged(let report) = $0 { !report.isSound } else { false }
        }
        let store = try SQLiteStore(folder: sample.path)
        await store.close()
        #expect(
            try rows(of: PostgresMoveSource(try PostgresAddress(address)).rows).values.allSatisfy(\.isEmpty))
    }

    @Test(
        "a move that fails before the copy is published leaves the old store complete",
        arguments: Step.beforeEnd)
    func interrupted(step: Step) async throws {
        let sample = try await MovedSample()
        defer { sample.remove() }
        let address = try PostgresCluster.shared.get().newAddress()
        #expect(throws: StoreMoveFault.failed("planted")) {
            try moved(
                SQLiteMoveSource(sample.path), FailingTarget(try postgresTarget(address), at: step),
                to: address)
        }
        let store = try SQLiteStore(folder: sample.path)
        try await sample.requireAll(in: store, store)
        await store.close()
        // A second try succeeds. Then the same in the other direction.
        _ = try moved(SQLiteMoveSource(sample.path), postgresTarget(address), to: address)
        let folder = try Scratch()
        defer { folder.remove() }
        #expect(throws: StoreMoveFault.failed("planted")) {
            try moved(
                PostgresMoveSource(try PostgresAddress(address)),
                FailingTarget(try SQLiteMoveTarget(folder.path), at: step), to: folder.path)
        }
        let there = try opened(address)
        try await sample.requireAll(in: there, there)
        await there.close()
        _ = try moved(
            PostgresMoveSource(try PostgresAddress(address)), SQLiteMoveTarget(folder.path), to: folder.path)
    }

    @Test("a copy that differs in one value is discarded")
    func different() async throws {
        let sample = try await MovedSample()
        defer { sample.remove() }
        let address = try PostgresCluster.shared.get().newAddress()
        expect(refusal: "the copy differs") {
            try moved(
                SQLiteMoveSource(sample.path), FailingTarget(try postgresTarget(address), at: .changeValue),
                to: address)
        }
    }
}

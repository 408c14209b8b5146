import CaretFormat
import CaretLog
import CaretStore
import Foundation
import TestSupport
import Testing

@Suite("The data folder") struct DataFolderTests {
    @Test("the build has every migration file, numbered without gaps")
    func migrationsAreEmbedded() throws {
        let folder = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().appending(path: "migrations")
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
            .filter { $0.hasSuffix(".sql") }
        #expect(names.map { Int64($0.prefix(4)) } == Migration.all.map { $0.number })
        #expect(Migration.all.map { $0.number } == Array(1...Int64(names.count)))
        for (name, migration) in zip(names, Migration.all) {
            #expect(try [UInt8](Data(contentsOf: folder.appending(path: name))) == migration.sql)
        }
    }

    /// The number of the newest migration.
    private let known = Int64(Migration.all.count)

    @Test("a new folder gets the schema, and can be opened again")
    func openTwice() throws {
        let scratch = try Scratch()
        defer { scratch.remove() }
        // An interrupted start may leave this file.
        try Data("incomplete".utf8).write(to: scratch.file("caret.sqlite.new"))
        for _ in 0..<2 {
            let database = try DataFolder(scratch.path).openForWriting()
            #expect(try database.first("SELECT count(*) FROM document", read: { $0.integer(0) }) == 0)
            #expect(
                try database.all("SELECT number FROM schema_migration", read: { $0.integer(0) })
                    == Array(1...known))
            #expect(try database.first("PRAGMA journal_mode", read: { $0.bytes(0) }) == Array("wal".utf8))
            #expect(try database.first("PRAGMA synchronous", read: { $0.integer(0) }) == 2)
        }
    }

    @Test("a failed migration is rolled back, and earlier migrations stay")
    func failingMigration() throws {
        let scratch = try Scratch()
        defer { scratch.remove() }
        let broken = Migration(
            number: known + 1, sql: Array("CREATE TABLE half (x); INSERT INTO nowhere VALUES (1);".utf8))
        do throws(OpeningFault) {
            _ = try DataFolder(scratch.path).openForWriting(migrations: Migration.all + [broken])
            Issue.record("the broken migration was applied")
        } catch {
            guard case .migrationFailed(known + 1, let fault) = error else {
                Issue.record("another fault: \(error)")
                return
            }
            #expect(fault.message.contains("nowhere"))
        }
        let database = try DataFolder(scratch.path).openForWriting()
        #expect(
            try database.all("SELECT number FROM schema_migration", read: { $0.integer(0) })
                == Array(1...known))
        #expect(
            try database.first("SELECT 1 FROM sqlite_schema WHERE name = 'half'", read: { _ in 1 }) == nil)
    }

    @Test("databases with later or other migrations are refused and not changed")
    func otherVersions() throws {
        let scratch = try Scratch()
        defer { scratch.remove() }
        let later = Migration(number: known + 1, sql: Array("CREATE TABLE later (x);".utf8))
        _ = try DataFolder(scratch.path).openForWriting(migrations: Migration.all + [later])
        let before = try scratch.databaseBytes()
        #expect(throws: OpeningFault.schemaTooNew(found: known + 1, known: known)) {
            try DataFolder(scratch.path).openForWriting()
        }
        let changed =
            [Migration(number: 1, sql: Array("CREATE TABLE other (x);".utf8))] + Migration.all.dropFirst()
            + [later]
        #expect(throws: OpeningFault.migrationChanged(migration: 1)) {
            try DataFolder(scratch.path).openForWriting(migrations: changed)
        }
        #expect(try scratch.databaseBytes() == before)
    }

    @Test(
        "refusing a database does not change the database or its log",
        arguments: ["closed", "backup", "crashed"])
    func refusedIsUntouched(state: String) async throws {
        let sample = try await SampleStore(isCutOff: state == "crashed")
        defer { sample.scratch.remove() }
        let later = Migration(number: known + 1, sql: Array("CREATE TABLE later (x);".utf8))
        do {
            let database = try DataFolder(sample.scratch.path).openForWriting(
                migrations: Migration.all + [later])
            if state == "crashed" {
                try database.run("UPDATE store SET commits = commits + 1")
                database.keepLog(true)
            }
        }
        if state == "backup" {
            try Database(path: sample.scratch.databasePath, for: .write).execute(
                "PRAGMA journal_mode = DELETE")
        }
        let before = try sample.scratch.files()
        #expect((before["caret.sqlite-wal"]?.count ?? 0 > 0) == (state == "crashed"))
        let refused = OpeningFault.schemaTooNew(found: known + 1, known: known)
        #expect(throws: refused) { try SQLiteStore(folder: sample.scratch.path) }
        #expect(throws: refused) { try SQLiteStore.verify(folder: sample.scratch.path) }
        let after = try sample.scratch.files()
        #expect(after == before)
    }

    @Test("another program's file is refused and not changed", arguments: ["database", "text", "short"])
    func foreignFiles(kind: String) throws {
        let scratch = try Scratch()
        defer { scratch.remove() }
        switch kind {
        case "database":
            try Database(path: scratch.databasePath, for: .write).execute("CREATE TABLE theirs (x)")
        case "text": try scratch.write(Data(String(repeating: "not a database ", count: 100).utf8))
        default: try scratch.write(Data("SQLite format 3\0".utf8))
        }
        let before = try scratch.databaseBytes()
        #expect(throws: OpeningFault.notCaretDatabase) { try DataFolder(scratch.path).openForWriting() }
        #expect(throws: OpeningFault.notCaretDatabase) { try SQLiteStore(folder: scratch.path) }
        #expect(try scratch.databaseBytes() == before)
        #expect(try scratch.files().keys.sorted() == ["caret.sqlite"])
    }

    @Test("an unusable file is reported with the system's reason")
    func unusableFiles() throws {
        func loop(_ path: String) -> Int32 { symlink(path, path) }
        for (name, code, make) in [
            ("caret.lock", EISDIR, { mkdir($0, 0o700) }), ("caret.commits", EISDIR, { mkdir($0, 0o700) }),
            ("caret.commits", ESPIPE, { mkfifo($0, 0o600) }), ("caret.sqlite", EISDIR, { mkdir($0, 0o700) }),
            ("caret.sqlite", ELOOP, loop), ("caret.sqlite-wal", ELOOP, loop),
        ] as [(String, Int32, (String) -> Int32)] {
            let scratch = try Scratch.inMemory()
            defer { scratch.remove() }
            #expect(make("\(scratch.path)/\(name)") == 0)
            #expect(throws: OpeningFault.system(code), "\(name)") { try SQLiteStore(folder: scratch.path) }
        }
    }

    @Test("an opening fault says whether the disk is full, or what SQLite reports")
    func faultsOfDatabase() {
        let full = OpeningFault.database(DatabaseFault(code: 13, message: "it is full"))
        #expect("\(full)" == "the disk is full; free some space, because opening the database needs it")
        let other = OpeningFault.database(DatabaseFault(code: 11, message: "it is damaged"))
        #expect("\(other)" == "the database cannot be opened: it is damaged (SQLite 11)")
    }

    @Test(
        "a database with a damaged header is refused and not changed",
        arguments: [
            (0, .notCaretDatabase), (15, .notCaretDatabase), (16, .damagedHeader), (17, .damagedHeader),
            (20, .damagedHeader), (68, .notCaretDatabase), (71, .notCaretDatabase),
        ] as [(Int, OpeningFault)])
    func damagedHeader(offset: Int, fault: OpeningFault) async throws {
        let scratch = try Scratch.inMemory()
        defer { scratch.remove() }
        await (try SQLiteStore(folder: scratch.path)).close()
        var bytes = try scratch.databaseBytes()
        bytes[offset] ^= 0x40
        try scratch.write(bytes)
        #expect(throws: fault) { try SQLiteStore(folder: scratch.path) }
        #expect(throws: fault) { try SQLiteStore.verify(folder: scratch.path) }
        #expect(try scratch.databaseBytes() == bytes)
    }

    @Test("a locked folder is refused until its server ends")
    func heldFolder() throws {
        let scratch = try Scratch()
        defer { scratch.remove() }
        do {
            let first = try DataFolder(scratch.path)
            #expect(throws: OpeningFault.folderLocked) { try DataFolder(scratch.path) }
            _ = try first.openForWriting()
        }
        _ = try DataFolder(scratch.path)
        #expect(throws: OpeningFault.system(ENOENT)) { try DataFolder(scratch.path + "/nowhere") }
    }

    @Test("only the owner can read the files of a store and its backups")
    func ownersAlone() async throws {
        let scratch = try Scratch.inMemory()
        defer { scratch.remove() }
        let store = try SQLiteStore(folder: scratch.path)
        _ = await store.create(try DocumentName("notes"))
        for file in ["caret.sqlite", "caret.sqlite-wal", "caret.sqlite-shm", "caret.commits", "caret.lock"] {
            #expect(try scratch.mode(file) == 0o600, "\(file)")
        }
        _ = try await store.backUp(to: scratch.path + "/copy.sqlite", at: 1)
        #expect(try scratch.mode("copy.sqlite") == 0o600)
        await store.close()
        // Set the mode that a backup has after it was restored with `cp`.
        #expect(chmod(scratch.databasePath, 0o644) == 0)
        await (try SQLiteStore(folder: scratch.path)).close()
        #expect(try scratch.mode("caret.sqlite") == 0o600)
    }

    @Test("a read-only database is refused at opening and not changed")
    func readOnly() async throws {
        let scratch = try Scratch.inMemory()
        defer { scratch.remove() }
        await (try SQLiteStore(folder: scratch.path)).close()
        #expect(chmod(scratch.databasePath, 0o400) == 0)
        let before = try scratch.files()
        #expect {
            try SQLiteStore(folder: scratch.path)
        } throws: { fault in
            "\(fault)".contains("caret.sqlite is not writable")
        }
        let after = try scratch.files()
        #expect(after == before)
        #expect(try scratch.mode("caret.sqlite") == 0o400)
    }

    @Test("a database can be read without its log, even with `?` in its path")
    func pastTheLog() throws {
        let scratch = try Scratch()
        defer { scratch.remove() }
        let path = scratch.path + "/a%41?b=c#d é.sqlite"
        let database = try Database(path: path, for: .write)
        try database.reserveSums()
        try database.execute("CREATE TABLE x (y); INSERT INTO x VALUES (1); PRAGMA journal_mode = WAL;")
        try database.execute("UPDATE x SET y = 2")
        for (access, value) in [(Database.Access.read, 2), (.readWithoutLog, 1)] {
            let other = try Database(path: path, for: access)
            #expect(try other.first("SELECT y FROM x", read: { $0.integer(0) }) == Int64(value))
        }
    }

    @Test("a transaction that throws writes nothing; the connection stays usable")
    func rolledBack() throws {
        struct Stop: Error {}
        let scratch = try Scratch()
        defer { scratch.remove() }
        let database = try DataFolder(scratch.path).openForWriting()
        #expect(throws: Stop.self) {
            try database.transaction { () throws(Stop) in
                do {
                    try database.run(
                        "INSERT INTO store (one, generation, commits, backup) VALUES (1, 7, 0, NULL)")
                } catch { throw Stop() }
                throw Stop()
            } orFault: { _ in
                Stop()
            }
        }
        #expect(try database.first("SELECT count(*) FROM store", read: { $0.integer(0) }) == 0)
        try database.run(
            "INSERT INTO store (one, generation, commits, backup) VALUES (1, ?, 0, ?)", .integer(.min),
            .integer(nil))
        #expect(try database.first("SELECT generation FROM store", read: { $0.integer(0) }) == .min)
    }
}

extension Scratch {
    /// The permissions of a file.
    func mode(_ file: String) throws -> mode_t {
        var found = stat()
        guard stat("\(path)/\(file)", &found) == 0 else { throw Unexpected(what: "there is no \(file)") }
        return found.st_mode & 0o777
    }
}

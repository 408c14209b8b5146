import CaretFormat
import CaretLog
import CaretPostgres
import CaretStore
import Foundation
import TestSupport
import Testing

// What a second run does after the first one was killed.
extension StoreMoveTests {
    @Test("after a kill before the folder is retired, servers refuse it until a second run ends the move")
    func killedBeforeFolderIsRetired() async throws {
        let (sample, address) = try await killedMove(at: .killedAfterPublish)
        defer { sample.remove() }
        let unfinished = "a move of its documents to \(address) began on 2026-03-01 and has not ended"
        await #expect(throws: OpeningFault.moving(unfinished)) {
            try await SQLiteStore(folder: sample.path).close()
        }
        let outcome = try moved(sample, to: address)
        #expect(outcome.copy == .found(isChanged: false) && outcome.report.documents == 6)
        let note = "its documents were moved to \(address) on 2026-03-01"
        await #expect(throws: OpeningFault.moved(note)) {
            try await SQLiteStore(folder: sample.path).close()
        }
        let store = try opened(address)
        try await sample.requireAll(in: store, store)
        await store.close()
    }

    @Test("after a kill before the database is retired, servers refuse it until a second run ends the move")
    func killedBeforeDatabaseIsRetired() async throws {
        let (sample, address, folder) = try await samples()
        defer { sample.remove() }
        defer { folder.remove() }
        try killMove(from: address, to: folder, at: .killedAfterPublish)
        let unfinished = "a move of its documents to \(folder.path) began on 2026-03-01 and has not ended"
        await #expect(throws: PostgresOpeningFault.moving(unfinished)) { try await opened(address).close() }
        let outcome = try moved(from: address, to: folder)
        #expect(outcome.copy == .found(isChanged: false) && outcome.report.documents == 6)
        let note = "its documents were moved to \(folder.path) on 2026-03-01"
        await #expect(throws: PostgresOpeningFault.moved(note)) { try await opened(address).close() }
        let store = try SQLiteStore(folder: folder.path)
        try await sample.requireAll(in: store, store)
        await store.close()
    }

    @Test("after a kill before the copy is published, a second run copies again")
    func killedBeforePublish() async throws {
        let (sample, address) = try await killedMove(at: .killedBeforePublish)
        defer { sample.remove() }
        expect(refusal: "has not ended") { try SQLiteStore(folder: sample.path) }
        #expect(try moved(sample, to: address).copy == .made)

        let folder = try Scratch()
        defer { folder.remove() }
        try killMove(from: address, to: folder, at: .killedBeforePublish)
        expect(refusal: "has not ended") { try opened(address) }
        #expect(try moved(from: address, to: folder).copy == .made)
        let store = try SQLiteStore(folder: folder.path)
        try await sample.requireAll(in: store, store)
        await store.close()
    }

    @Test("a second run tells that servers have changed the copy, and keeps their changes")
    func changedCopy() async throws {
        let (sample, address) = try await killedMove(at: .killedAfterPublish)
        defer { sample.remove() }
        try await addToken(to: try opened(address))
        let outcome = try moved(sample, to: address)
        #expect(outcome.copy == .found(isChanged: true) && outcome.report.tokens == 3)

        let folder = try Scratch()
        defer { folder.remove() }
        try killMove(from: address, to: folder, at: .killedAfterPublish)
        let store = try SQLiteStore(folder: folder.path)
        _ = try await store.addToken(of: UserName("eve"), Grants.none).get()
        await store.close()
        let end = try moved(from: address, to: folder)
        #expect(end.copy == .found(isChanged: true) && end.report.tokens == 4)
        let again = try SQLiteStore(folder: folder.path)
        #expect(try await again.tokens().get().items.count == 4)
        await again.close()
    }

    @Test("if the old store was used again after the copy was made, neither store is retired")
    func usedAgain() async throws {
        let (sample, address) = try await killedMove(at: .killedAfterPublish)
        defer { sample.remove() }
        try SQLiteMoveSource(sample.path).unblockServers()
        let old = try SQLiteStore(folder: sample.path)
        _ = try await old.addToken(of: UserName("eve"), Grants.none).get()
        await old.close()
        let refusal = "the old store differs from what was copied"
        for (isChanged, words) in [(false, refusal), (true, refusal + "; the copy has changed since, too")] {
            if isChanged { try await addToken(to: try opened(address)) }
            expect(refusal: words + "\"") {
                try moved(sample, to: address)
            }
            await (try SQLiteStore(folder: sample.path)).close()
            await (try opened(address)).close()
        }

        let (other, database, folder) = try await samples()
        defer { other.remove() }
        defer { folder.remove() }
        try killMove(from: database, to: folder, at: .killedAfterPublish)
        try postgresSource(database).unblockServers()
        try await addToken(to: try opened(database))
        expect(refusal: refusal + "\"") {
            try moved(from: database, to: folder)
        }
        await (try opened(database)).close()
        await (try SQLiteStore(folder: folder.path)).close()
    }

    @Test("an undone move can be ended by a later run, if no store has changed")
    func undone() async throws {
        let (sample, address) = try await killedMove(at: .killedAfterPublish)
        defer { sample.remove() }
        try SQLiteMoveSource(sample.path).unblockServers()
        let old = try SQLiteStore(folder: sample.path)
        try await sample.requireAll(in: old, old)
        await old.close()
        let outcome = try moved(sample, to: address)
        #expect(outcome.copy == .found(isChanged: false))

        let folder = try Scratch()
        defer { folder.remove() }
        try killMove(from: address, to: folder, at: .killedAfterPublish)
        try postgresSource(address).unblockServers()
        await (try opened(address)).close()
        #expect(try moved(from: address, to: folder).copy == .found(isChanged: false))
    }

    @Test("while a move has not ended, its store is not moved to another target")
    func otherTarget() async throws {
        let sample = try await MovedSample()
        defer { sample.remove() }
        let cluster = try PostgresCluster.shared.get()
        let (address, other) = (cluster.newAddress(), cluster.newAddress())
        try killMove(of: sample, to: address, at: .killedAfterPublish)
        expect(refusal: "a move of its documents to \(address) began on") {
            try moved(sample, to: other)
        }
        expect(refusal: "caret.sqlite.moving exists") { try SQLiteMoveTarget(sample.path) }
    }

    @Test("if the copy was damaged since, the move does not end")
    func damagedCopy() async throws {
        let (sample, address, folder) = try await samples()
        defer { sample.remove() }
        defer { folder.remove() }
        try killMove(from: address, to: folder, at: .killedAfterPublish)
        let database = try Database(path: folder.path + "/caret.sqlite", for: .write)
        try database.run("UPDATE segment SET body = zeroblob(9) WHERE document = 1")
        expect(refusal: "the copy is damaged") {
            try moved(from: address, to: folder)
        }
        expect(refusal: "has not ended") { try opened(address) }
    }

    @Test("a database that has its name again is never replaced by the hidden one")
    func copiedBack() async throws {
        let (sample, _) = try await killedMove(at: .killedAfterPublish)
        defer { sample.remove() }
        let path = sample.path + "/caret.sqlite"
        try FileManager.default.copyItem(atPath: path + ".moving", toPath: path)
        let store = try SQLiteStore(folder: sample.path)
        _ = try await store.addToken(of: UserName("eve"), Grants.none).get()
        await store.close()
        try SQLiteMoveSource(sample.path).unblockServers()
        let again = try SQLiteMoveSource(sample.path)
        #expect(try again.unfinishedMove == nil && again.rows.rowCount(of: .token) == 3)
    }

    @Test("a database whose rows were removed after a move counts as empty")
    func emptied() async throws {
        let sample = try await MovedSample()
        defer { sample.remove() }
        let cluster = try PostgresCluster()
        let address = cluster.newAddress()
        try killMove(of: sample, to: address, at: .killedAfterPublish)
        let tables = MovedTable.allCases.map { "store_1.\($0.rawValue)" }.joined(separator: ", ")
        try cluster.execute("TRUNCATE \(tables)")
        // Its epochs differ from those of the other sample.
        let other = try await MovedSample()
        defer { other.remove() }
        try killMove(of: other, to: address, at: .killedAfterPublish)
        let outcome = try moved(other, to: address)
        #expect(outcome.copy == .found(isChanged: false) && outcome.report.documents == 6)
    }

    @Test("two moves cannot use one database at the same time")
    func twoMoves() async throws {
        let (sample, address, folder) = try await samples()
        defer { sample.remove() }
        defer { folder.remove() }
        let first = try postgresSource(address)
        // This ends the transaction, and with it the locks of the tables.
        try first.blockServers(MoveNote(target: folder.path, day: "2026-03-01"))
        expect(refusal: "another program uses the database") { try postgresSource(address) }
        try first.unblockServers()
    }

    // MARK: Calls

    /// A store in a database, a copy of the sample, and an empty folder.
    private func samples() async throws -> (MovedSample, String, Scratch) {
        let sample = try await MovedSample()
        let address = try PostgresCluster.shared.get().newAddress()
        try moved(sample, to: address)
        return (sample, address, try Scratch())
    }

    /// A sample, and the address of the database to which a killed move has copied it.
    private func killedMove(at step: Step) async throws -> (MovedSample, String) {
        let sample = try await MovedSample()
        let address = try PostgresCluster.shared.get().newAddress()
        try killMove(of: sample, to: address, at: step)
        return (sample, address)
    }

    @discardableResult
    private func moved(_ sample: MovedSample, to address: String) throws -> MoveOutcome {
        try moved(SQLiteMoveSource(sample.path), postgresTarget(address), to: address)
    }

    @discardableResult
    private func moved(from address: String, to folder: Scratch) throws -> MoveOutcome {
        try moved(postgresSource(address), SQLiteMoveTarget(folder.path), to: folder.path)
    }

    private func killMove(of sample: MovedSample, to address: String, at step: Step) throws {
        #expect(throws: StoreMoveFault.unfinished("planted", advice: "")) {
            try moved(
                SQLiteMoveSource(sample.path), FailingTarget(try postgresTarget(address), at: step),
                to: address)
        }
    }

    private func killMove(from address: String, to folder: Scratch, at step: Step) throws {
        #expect(throws: StoreMoveFault.unfinished("planted", advice: "")) {
            try moved(
                postgresSource(address), FailingTarget(try SQLiteMoveTarget(folder.path), at: step),
                to: folder.path)
        }
    }

    private func postgresSource(_ address: String) throws -> PostgresMoveSource {
        try PostgresMoveSource(try PostgresAddress(address))
    }

    /// Closes the store afterwards.
    private func addToken(to store: PostgresStore) async throws {
        _ = try await store.addToken(of: UserName("dan"), Grants.none).get()
        await store.close()
    }
}

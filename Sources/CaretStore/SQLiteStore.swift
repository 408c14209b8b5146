package import CaretCore
package import CaretLog
import Synchronization

/// A store in one SQLite file.
///
/// One queue with one connection does every write; what is ready when the previous sync ends goes into the next
/// transaction. Readers have a queue and a connection of their own and see what was committed.
package final class SQLiteStore: DocumentStore {
    private let folder: DataFolder
    private let writer: Confined<GroupCommit>
    private let reader: Confined<HistoryReader>
    /// What waits for the next transaction.
    private let waiting = Mutex<[WriteJob]>([])

    /// Opens the store in a folder that exists, and makes it where there is none.
    package init(folder path: String) throws(OpeningFault) {
        folder = try DataFolder(path)
        let database = try folder.openForWriting()
        let generation = try SQLiteStore.generation(of: database)
        reader = Confined(
            to: "caret.store.reader",
            HistoryReader(database: try folder.openForReading(), generation: generation))
        writer = Confined(
            to: "caret.store.writer", GroupCommit(HistoryWriter(database: database, generation: generation)))
    }

    /// The store's part of every epoch: chosen by chance when the store is made.
    private static func generation(of database: Database) throws(OpeningFault) -> UInt64 {
        do throws(DatabaseFault) {
            try database.run(
                "INSERT INTO store (one, generation) VALUES (1, ?) ON CONFLICT DO NOTHING",
                .integer(.random(in: .min ... .max)))
            let stored = try database.first("SELECT generation FROM store", read: { $0.integer(0) })
            return UInt64(bitPattern: stored ?? 0)
        } catch {
            throw .database(error)
        }
    }

    /// Ends all calls that were made, and lets the folder go. No call may follow.
    package func close(then completion: @escaping @Sendable () -> Void) {
        writer.close { [self] in
            reader.close { [self] in
                folder.unlock()
                completion()
            }
        }
    }

    // MARK: Calls that write

    package func append(_ appends: [Append], then completion: @escaping @Sendable ([AppendOutcome]) -> Void) {
        write { writer throws(StoreFault) in
            var outcomes: [AppendOutcome] = []
            for append in appends { outcomes.append(try writer.append(append)) }
            let answers = outcomes
            return { completion(answers) }
        } or: { end in
            completion(appends.map { _ in end.appendOutcome })
        }
    }

    package func appendLocked(
        _ append: Append, rebase: @escaping @Sendable ([LoggedChange]) -> [PushedChange],
        then completion: @escaping @Sendable ([LoggedChange], AppendOutcome) -> Void
    ) {
        write { writer throws(StoreFault) in
            let answer = try writer.appendLocked(append, rebase: rebase)
            return { completion(answer.missed, answer.outcome) }
        } or: {
            completion([], $0.appendOutcome)
        }
    }

    package func create(
        _ name: DocumentName, at time: Int64, then completion: @escaping @Sendable (Creation) -> Void
    ) {
        write { writer throws(StoreFault) in
            let answer = try writer.create(name, at: time, epoch: .random(in: .min ... .max))
            return { completion(answer) }
        } or: {
            completion(.refused($0.refusal))
        }
    }

    package func rename(
        _ document: DocumentID, to name: DocumentName, then completion: @escaping @Sendable (Renaming) -> Void
    ) {
        write { writer throws(StoreFault) in
            let answer = try writer.rename(document, to: name)
            return { completion(answer) }
        } or: {
            completion(.refused($0.refusal))
        }
    }

    package func delete(
        _ document: DocumentID, at time: Int64,
        then completion: @escaping @Sendable (Result<Void, StoreRefusal>) -> Void
    ) {
        write { writer throws(StoreFault) in
            try writer.delete(document, at: time)
            return { completion(.success(())) }
        } or: {
            completion(.failure($0.refusal))
        }
    }

    package func undelete(_ document: DocumentID, then completion: @escaping @Sendable (Undeletion) -> Void) {
        write { writer throws(StoreFault) in
            let answer = try writer.undelete(document)
            return { completion(answer) }
        } or: {
            completion(.refused($0.refusal))
        }
    }

    package func putSnapshot(
        _ snapshot: Snapshot, of document: DocumentID,
        then completion: @escaping @Sendable (Result<Void, HistoryRefusal>) -> Void
    ) {
        write { writer throws(StoreFault) in
            try writer.putSnapshot(snapshot, of: document)
            return { completion(.success(())) }
        } or: {
            completion(.failure($0.historyRefusal))
        }
    }

    package func trim(
        _ document: DocumentID, through revision: Revision,
        then completion: @escaping @Sendable (Trimming) -> Void
    ) {
        write { writer throws(StoreFault) in
            let answer = try writer.trim(document, through: revision)
            return { completion(answer) }
        } or: {
            completion(.refused($0.historyRefusal))
        }
    }

    // MARK: Calls that read

    package func find(
        _ name: DocumentName,
        then completion: @escaping @Sendable (Result<DocumentEntry, StoreRefusal>) -> Void
    ) {
        read { reader in
            let answer = caught { () throws(StoreFault) in try reader.document(named: name).entry }
            completion(answer.mapError(\.refusal))
        }
    }

    package func entries(
        of documents: [DocumentID],
        then completion: @escaping @Sendable ([Result<DocumentEntry, StoreRefusal>]) -> Void
    ) {
        read { reader in
            completion(
                documents.map { id in
                    caught { () throws(StoreFault) in try reader.document(id).entry }.mapError(\.refusal)
                })
        }
    }

    package func list(
        prefix: ByteString, after: ByteString?, limit: Int,
        then completion: @escaping @Sendable (Result<Listing, StoreRefusal>) -> Void
    ) {
        read { reader in
            let answer = caught { () throws(StoreFault) in
                try reader.list(prefix: prefix, after: after, limit: limit)
            }
            completion(answer.mapError(\.refusal))
        }
    }

    package func read(
        _ document: DocumentID, after revision: Revision, limit: Int,
        then completion: @escaping @Sendable (Result<Reading, HistoryRefusal>) -> Void
    ) {
        read { reader in
            let answer = caught { () throws(StoreFault) in
                let row = try reader.document(document)
                try reader.check(revision, of: row)
                let changes = try reader.changes(of: row, after: revision, limit: limit)
                return Reading(segment: Segment(first: revision.next, changes: changes), head: row.entry.head)
            }
            completion(answer.mapError(\.historyRefusal))
        }
    }

    package func text(
        of document: DocumentID, at revision: Revision?,
        then completion: @escaping @Sendable (Result<Snapshot, HistoryRefusal>) -> Void
    ) {
        read { reader in
            let answer = caught { () throws(StoreFault) in
                let row = try reader.document(document)
                return try reader.text(of: row, at: revision ?? row.entry.head).snapshot
            }
            completion(answer.mapError(\.historyRefusal))
        }
    }

    package func pusher(
        _ pusher: Pusher, in document: DocumentID,
        then completion: @escaping @Sendable (Result<PusherAnswer, StoreRefusal>) -> Void
    ) {
        read { reader in
            let answer = caught { () throws(StoreFault) in try reader.pusher(pusher, in: document) }
            completion(answer.mapError(\.refusal))
        }
    }

    // MARK: Queues

    private func read(_ body: @escaping @Sendable (HistoryReader) -> Void) {
        reader.async { body($0) }
    }

    /// Puts a call into the next transaction. `body` answers with what is told once it is committed; where it is
    /// not, `refuse` tells why.
    private func write(
        _ body: @escaping @Sendable (HistoryWriter) throws(StoreFault) -> @Sendable () -> Void,
        or refuse: @escaping @Sendable (WriteJob.End) -> Void
    ) {
        let job = WriteJob(body, or: refuse)
        let isFirst = waiting.withLock { jobs in
            jobs.append(job)
            return jobs.count == 1
        }
        if !isFirst { return }
        writer.async { [self] group in
            let jobs = waiting.withLock { jobs in
                defer { jobs = [] }
                return jobs
            }
            group.run(jobs)
        }
    }
}

/// The outcome of `body` as a value.
private func caught<Answer>(_ body: () throws(StoreFault) -> Answer) -> Result<Answer, StoreFault> {
    Result(catching: body)
}

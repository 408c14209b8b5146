import CSQLite
import CaretConcurrency
package import CaretCore
package import CaretFormat
package import CaretLog
@preconcurrency import Dispatch

/// A store in one SQLite file.
///
/// One thread does all writes through one connection. The calls that arrive during a sync share the next
/// transaction. Readers have their own queues and connections, and see only committed data.
package final class SQLiteStore: SQLStore {
    let folder: DataFolder
    let files: FileIdentityCheck
    /// The backups that a server has made of this store.
    let backups: BackupFiles
    package var backupNames: [String] { backups.names }
    let writes: WriteQueue
    /// For calls that read one row or one page of rows.
    private let lookups: QueueConfined<HistoryReader<Database>>
    /// For newest texts, which opening a document needs.
    private let heads: QueueConfined<HistoryReader<Database>>
    /// For pages of history and old texts. They may take many times as long as a newest text.
    private let histories: QueueConfined<HistoryReader<Database>>
    private let upkeepReader: QueueConfined<UpkeepReader<Database>>
    package let upkeep: Upkeep<Database, SQLiteUpkeepWrites>
    package let due = DueDocuments()
    /// The background tasks, which run until the store is closed.
    private let upkeepTasks: [Task<Void, Never>]
    package let openCalls = OpenCalls()
    let onEvent: @Sendable (StoreEvent) -> Void
    private let currentGeneration: Generation
    /// The store's part of every epoch. It can be renewed at any time.
    package var generation: UInt64 { currentGeneration.value }

    private let settings: StoreSettings
    package var now: Int64 { settings.now() }

    /// Opens the store in an existing folder, and creates the database if it is missing. The store calls
    /// `onEvent` on any queue. `onEvent` must return soon.
    package init(
        folder path: String, settings: StoreSettings = StoreSettings(),
        migrations: [Migration] = Migration.all,
        onEvent: @escaping @Sendable (StoreEvent) -> Void = { _ in }
    ) throws(OpeningFault) {
        (self.onEvent, self.settings) = (onEvent, settings)
        folder = try DataFolder(path)
        backups = BackupFiles(folder: path + "/backups")
        backups.removePartial()
        // Refuse a file of another program before creating anything in its folder.
        _ = try FileHeader(of: folder.databasePath)
        let counter = try CommitCounter(folder: path)
        let known = try counter.read()
        try folder.refuseForeignLog(known)
        let database = try folder.openForWriting(migrations: migrations, onEvent: onEvent)
        try SQLiteStore.repairNames(of: database, onEvent)
        let row = try SQLiteStore.row(of: database, counter, onEvent)
        SQLiteStore.compareTimes(database, settings.now(), onEvent)
        // The row has just been read from the same page. So this fails only with an older schema in tests.
        let isErasureDue = (try? database.isErasureDue()) ?? false
        let generation = Generation(row.progress.generation)
        currentGeneration = generation
        let isFresh =
            if case .progress(let progress) = known { progress.generation != generation.value } else { true }
        let files = FileIdentityCheck(database: folder.databasePath)
        self.files = files
        if folder.hasIndexInMemory { onEvent(.diskFull) }
        lookups = QueueConfined(
            HistoryReader(database: try folder.openForReading(), generation: generation),
            on: "caret.store.lookups")
        let cache = HistoryCache()
        heads = QueueConfined(
            HistoryReader(database: try folder.openForReading(), generation: generation, cache: cache),
            on: "caret.store.heads")
        histories = QueueConfined(
            HistoryReader(
                database: try SQLiteStore.openedWithLog(folder), generation: generation, cache: cache),
            on: "caret.store.histories")
        let completions = CompletionQueue()
        writes = WriteQueue(
            GroupCommit(
                folder, files, database, row, counter, due, completions, generation, isFresh: isFresh,
                onEvent: onEvent),
            completions)
        // Upkeep can wait, so it runs at low priority and takes no core from the writer and the rooms.
        upkeepReader = QueueConfined(
            UpkeepReader(
                HistoryReader(database: try folder.openForReading(), generation: generation, cache: cache)),
            on: "caret.store.upkeep", inBackground: true)
        let readers = [lookups, heads, histories]
        let upkeepWrites = SQLiteUpkeepWrites(writes, upkeepReader, openCalls, onEvent: onEvent) {
            [upkeepReader] document in
            // A read that began before the history was rewritten has ended before its queue does this.
            for reader in readers { await reader.run { $0.forgetHistory(of: document) } }
            await upkeepReader.run { $0.forgetHistory(of: document) }
        }
        upkeep = Upkeep(upkeepWrites, UpkeepReads(upkeepReader), settings, openCalls) {
            onEvent(StoreEvent($0))
        }
        var upkeepTasks = [
            Task { [upkeep, due] in await upkeep.run(due) }, Task { [upkeep] in await upkeep.runRounds() },
            Task { [writes, files] in await SQLiteStore.watch(files, writes) },
        ]
        if isErasureDue { upkeepTasks.append(Task { await upkeepWrites.eraseRest() }) }
        self.upkeepTasks = upkeepTasks
    }

    /// Checks every second that the files still have their names, even if no call writes. Runs until its task
    /// is cancelled.
    private static func watch(_ files: FileIdentityCheck, _ writes: WriteQueue) async {
        while (try? await Task.sleep(for: .seconds(1))) != nil {
            if !files.check() { return writes.checkFiles() }
        }
    }

    /// Opens a connection that reads, and its log. A connection opens the log when it first reads. If this one
    /// is not used for days, it must not find a log that was replaced meanwhile.
    private static func openedWithLog(_ folder: DataFolder) throws(OpeningFault) -> Database {
        let database = try folder.openForReading()
        do throws(DatabaseFault) {
            _ = try database.first("PRAGMA schema_version") { _ in true }
        } catch {
            throw .database(error)
        }
        return database
    }

    /// Reports a clock that is behind the newest changes. The next change of a document gets at least the time of the one
    /// before it.
    private static func compareTimes(
        _ database: Database, _ now: Int64, _ onEvent: (StoreEvent) -> Void
    ) {
        // Fails only if the rows are damaged, which later reads report.
        let newest = try? database.first(
            "SELECT max(time) FROM (SELECT time FROM segment ORDER BY id DESC LIMIT 100)"
        ) { $0.integer(0) }
        guard let newest, (0...DocumentEntry.farthest).contains(newest) else { return }
        if newest - now > 5_000 { onEvent(.clockIsBehind(milliseconds: newest - now)) }
    }

    /// Compares the index of names with the documents, and reports what was repaired or is damaged.
    private static func repairNames(
        of database: Database, _ onEvent: (StoreEvent) -> Void
    ) throws(OpeningFault) {
        do throws(DatabaseFault) {
            switch try NameIndex(database: database).repair() {
            case .sound: break
            case .rebuilt: onEvent(.namesRebuilt)
            case .damaged: onEvent(.damaged(nil))
            }
        } catch {
            throw .database(error)
        }
    }

    /// Returns the store's row. Creates the row if it is missing. Gives it a new generation if the commit
    /// counter belongs to another database.
    private static func row(
        of database: Database, _ counter: CommitCounter, _ onEvent: (StoreEvent) -> Void
    ) throws(OpeningFault) -> StoreRow {
        let reading = try counter.read()
        do throws(DatabaseFault) {
            let found = try StoreRow.read(database, checkpoints: reading.checkpoints)
            let reason = found.flatMap { $0.renewal(reading) }
            var row = found ?? StoreRow(progress: StoreProgress(generation: 0, commits: 0, checkpoints: 0))
            if found == nil, try database.first("SELECT 1 FROM document LIMIT 1", read: { _ in true }) == true
            {
                throw DatabaseFault.damaged("the row of the store is missing")
            }
            if found == nil || reason != nil {
                row.progress.generation = .random(in: .min ... .max)
                // The number of checkpoints that was read belongs to another file, so counting begins again.
                row.progress.checkpoints = 0
                row.backup = nil
                try row.write(database)
            }
            // Update the counter last. If the process ends before this update, the next start sees the same
            // reason, and renews the epochs again.
            do throws(DatabaseFault) {
                try counter.write(row.progress)
                try counter.sync()
            } catch {
                // A counter that is too low for the same history does no harm: after a power cut it can be
                // too low as well.
                if found == nil || reason != nil || error.kind != .full { throw error }
                onEvent(.checkpointDiskFull)
            }
            if let reason { onEvent(.renewed(reason)) }
            return row
        } catch {
            throw .database(error)
        }
    }

    deinit { for task in upkeepTasks { task.cancel() } }

    /// Completes all earlier calls, and unlocks the folder. No call may follow.
    package func close(then completion: @escaping @Sendable () -> Void) {
        for task in upkeepTasks { task.cancel() }
        Task { [self] in
            await openCalls.close()
            for task in upkeepTasks { await task.value }
            // Close the writer last: the last open connection copies the log into the database.
            for reader in [lookups, heads, histories] { await reader.close() }
            await upkeepReader.close()
            writes.close { [self] in
                folder.unlock()
                completion()
            }
        }
    }

    /// Closes the store, and waits until it is closed.
    package func close() async { await withCheckedContinuation { done in close { done.resume() } } }

    /// Visits all documents once; the store's settings and `time` decide what is old. Purges documents that
    /// were deleted long ago, trims histories, and forgets old pushers. Merges the segments of idle
    /// documents, and returns free space to the file system.
    package func runUpkeep(at time: Int64) async {
        openCalls.begin()
        defer { openCalls.end() }
        await upkeep.round(at: time)
    }

    // MARK: Calls

    package func append(_ append: Append, _ waiting: WaitingCall) {
        write(waiting) { writer throws(StoreFault) in .appended(try writer.append(append)) }
    }

    package func appendLocked(_ append: Append, _ rebase: AppendRebase, _ waiting: WaitingCall) {
        write(waiting) { writer throws(StoreFault) in
            let (missed, outcome) = try writer.appendLocked(append, rebase: rebase.changes)
            return .appendedLocked(missed: missed, outcome)
        }
    }

    package func renewEpochs(known: Revision, of document: DocumentID, _ waiting: WaitingCall) {
        let reporting = WaitingCall(waiting.call) { [onEvent] answer in
            if answer == .epochsRenewed(.success(true)) {
                onEvent(.renewed(.clientIsAhead(document, known: known)))
            }
            waiting.answer(answer)
        }
        write(reporting) { writer throws(StoreFault) in .epochsRenewed(.success(try writer.renewEpochs())) }
    }

    /// An append finds the row again by itself.
    package func note(_ row: DocumentRow) {}

    package func entries(of documents: [DocumentID], _ waiting: WaitingCall) {
        lookup(waiting, of: nil) { reader throws(StoreFault) in
            .entries(try reader.rows.entries(of: documents))
        }
    }

    /// Does the next step of a read. Further steps run after the calls that wait meanwhile, so the queue takes
    /// turns between all such reads, and a long one does not delay short ones.
    package func run(_ read: some SteppedRead, for waiting: WaitingCall) {
        openCalls.begin()
        histories.async { [self] reader in
            var read = read
            switch result(read.document, { () throws(StoreFault) in try read.nextStep(&reader) }) {
            case .failure(let refusal): waiting.answer(.failure(refusal))
            case .success(let answer?): waiting.answer(answer)
            case .success(nil): run(read, for: waiting)
            }
            openCalls.end()
        }
    }

    /// Stores the text at a revision as a snapshot now. In the server only upkeep makes snapshots; tests call
    /// this.
    package func putSnapshot(
        _ snapshot: Snapshot, of document: DocumentID
    ) async -> Result<Void, HistoryRefusal> {
        let found = await history(of: document) { reader throws(StoreFault) in
            let row = try reader.document(document)
            let checked = try reader.text(of: row, at: snapshot.revision)
            if checked.snapshot.text != snapshot.text { throw .refused(.wrongText) }
            return StoredSnapshot(checked, of: row.entry)
        }
        switch found {
        case .failure(let refusal): return .failure(refusal)
        case .success(let stored):
            return await writes.run { writer throws(StoreFault) in try writer.keep(stored) }
        }
    }

    // MARK: Queues

    package func lookup(
        _ waiting: WaitingCall, of document: DocumentID?, isOpening: Bool,
        _ body: @escaping @Sendable (inout HistoryReader<Database>) throws(StoreFault) -> StoreAnswer
    ) {
        (isOpening ? heads : lookups).async { [self] reader in
            let answer = Result { () throws(StoreFault) in
                // If the file was removed, its data will be lost, so the server must not ack a repeated push.
                if document != nil || isOpening, !files.areFound { throw .refused(.refused(.failed)) }
                return try reader.reading(body)
            }
            if case .failure(let fault) = answer, fault.refusal == .damaged, !isOpening {
                close(damaged: nil, fault)
            }
            waiting.answer(answer.mapError(\.historyRefusal))
        }
    }

    package func history(
        _ waiting: WaitingCall, of document: DocumentID, isHead: Bool,
        _ body: @escaping @Sendable (inout HistoryReader<Database>) throws(StoreFault) -> StoreAnswer
    ) {
        (isHead ? heads : histories).async { [self] reader in
            waiting.answer(result(document) { () throws(StoreFault) in try reader.reading(body) })
        }
    }

    /// Reads a history, and returns the result.
    func history<Answer: Sendable>(
        of document: DocumentID,
        _ body: @escaping @Sendable (inout HistoryReader<Database>) throws(StoreFault) -> Answer
    ) async -> Result<Answer, HistoryRefusal> {
        await histories.run { [self] reader in
            result(document) { () throws(StoreFault) in try reader.reading(body) }
        }
    }

    /// The result of a read of a history. If the history is damaged, reports that, and accepts no more appends to it.
    private func result<Answer>(
        _ document: DocumentID, _ body: () throws(StoreFault) -> Answer
    ) -> Result<Answer, HistoryRefusal> {
        let result = Result(catching: body)
        if case .failure(let fault) = result, fault.historyRefusal == .refused(.damaged) {
            close(damaged: document, fault)
        }
        return result.mapError(\.historyRefusal)
    }

    package func close(damaged document: DocumentID?, _ fault: StoreFault) {
        if case .damagedRow(let reason) = fault { onEvent(.damagedRow(reason)) }
        onEvent(.damaged(document))
        if let document { writes.close(damaged: document) }
    }

    /// Adds a call to the next transaction, and answers it after the commit.
    package func write(
        _ waiting: WaitingCall, to document: DocumentID? = nil,
        _ body: @escaping @Sendable (inout HistoryWriter) throws(StoreFault) -> StoreAnswer
    ) {
        writes.add(
            WriteJob { writer throws(StoreFault) in
                let answer = try body(&writer)
                return { waiting.answer(answer) }
            } refuse: {
                waiting.answer($0.answer(to: waiting.call))
            })
    }
}

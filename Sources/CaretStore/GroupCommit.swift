import CaretConcurrency
import CaretFormat
import CaretLog

/// The writer: commits all waiting calls in one transaction, and completes no call before the transaction is
/// synced.
///
/// Use it only on the writer's thread.
struct GroupCommit {
    private var writer: HistoryWriter
    private var store: StoreRow
    /// Keeps the folder locked as long as the writer exists.
    let folder: DataFolder
    private let files: FileIdentityCheck
    private let counter: CommitCounter
    private let due: DueDocuments
    private let completions: CompletionQueue
    private let onEvent: @Sendable (StoreEvent) -> Void
    /// True if the disk has failed or the files were removed. The store then writes nothing more, because
    /// after a failed sync even a successful sync proves nothing.
    private var hasFailed = false
    /// The next checkpoint is due when the write-ahead log has this many pages.
    private var checkpointAt = GroupCommit.pagesBetweenCheckpoints
    private var pagesInLog = 0

    private static let pagesBetweenCheckpoints = 1000
    /// If the write-ahead log has at least this many pages, a checkpoint waits for readers.
    private static let mostPages = 8 * pagesBetweenCheckpoints

    init(
        _ folder: DataFolder, _ files: FileIdentityCheck, _ database: Database, _ store: StoreRow,
        _ counter: CommitCounter, _ due: DueDocuments, _ completions: CompletionQueue,
        _ generation: Generation,
        isFresh: Bool,
        onEvent: @escaping @Sendable (StoreEvent) -> Void
    ) {
        writer = HistoryWriter(database: database, generation: generation, isFresh: isFresh)
        self.folder = folder
        self.files = files
        self.store = store
        self.counter = counter
        self.due = due
        self.completions = completions
        self.onEvent = onEvent
    }

    mutating func run(_ jobs: [WriteJob]) {
        // Check the files before the commit, so that no call reads from a removed file. Check them again
        // after the commit, before any caller is notified.
        if hasFailed || !checkFiles() { return refuse(jobs, .refused(.refused(.failed))) }
        var isWorkDone = false
        onEvent(.writing(jobs.count))
        do throws(DatabaseFault) {
            var next = store.progress
            next.commits += 1
            let before = writer.database.totalChanges
            var isNeeded = false
            let answers = try writer.database.transaction(
                { () throws(DatabaseFault) in
                    let answers = try work(jobs)
                    isNeeded = writer.hasWritten || writer.database.totalChanges != before
                    if isNeeded {
                        try writer.database.run("UPDATE store SET commits = $1", .integer(next.commits))
                        onEvent(.committing(jobs.count))
                    }
                    isWorkDone = true
                    return answers
                }, isNeeded: { isNeeded }, orFault: \.self)
            if isNeeded { committed(next) }
            if isNeeded, !checkFiles() { return refuse(jobs, .refused(.refused(.failed))) }
            // The commit is on disk, so notify the callers even if a later step fails.
            completions.call(answers)
            due.add(writer.committed())
            if !hasFailed { checkpointIfDue() }
        } catch {
            writer.rolledBack()
            failed(jobs, error, atCommit: isWorkDone)
        }
    }

    private mutating func work(_ jobs: [WriteJob]) throws(DatabaseFault) -> [@Sendable () -> Void] {
        var answers: [@Sendable () -> Void] = []
        answers.reserveCapacity(jobs.count)
        for job in jobs {
            let before = writer.database.totalChanges
            do throws(StoreFault) {
                answers.append(try job.work(&writer))
            } catch {
                switch error {
                case .database(let fault): throw fault
                case .damagedRow(let reason):
                    onEvent(.damagedRow(reason))
                    if writer.database.totalChanges != before { throw .damaged(reason) }
                    answers.append { job.refuse(.refused(.refused(.damaged))) }
                // A refusal is a normal answer, and does not roll back the transaction.
                case .refused(let refusal):
                    precondition(
                        writer.database.totalChanges == before, "a refused call had already written data")
                    answers.append { job.refuse(.refused(refusal)) }
                }
            }
        }
        return answers
    }

    private mutating func committed(_ progress: StoreProgress) {
        store.progress = progress
        if let generation = writer.takeNextGeneration() { store.progress.generation = generation }
        onEvent(.committed)
        _ = count()
    }

    /// Writes the store's progress to the commit counter. Returns false if the disk is full or has failed. A
    /// counter that is too low does no harm: after a power cut it can be too low as well.
    private mutating func count() -> Bool {
        do throws(DatabaseFault) {
            try counter.write(store.progress)
            return true
        } catch {
            if error.kind == .full { onEvent(.checkpointDiskFull) } else { fail(error) }
            return false
        }
    }

    private mutating func checkpointIfDue() {
        let pages = writer.database.pagesInLog
        // SQLite has restarted the log.
        if pages < pagesInLog { checkpointAt = GroupCommit.pagesBetweenCheckpoints }
        pagesInLog = pages
        if pages < checkpointAt { return }
        checkpointAt = pages + GroupCommit.pagesBetweenCheckpoints
        // If readers always overlap, a passive checkpoint never lets SQLite restart the log.
        checkpoint(pages < GroupCommit.mostPages ? .passive : .patient)
    }

    /// Copies the write-ahead log into the database, with the next checkpoint number. A database file with a
    /// lower number is older than its log.
    mutating func checkpoint(_ checkpoint: Database.Checkpoint) {
        onEvent(.checkpointing)
        do throws(DatabaseFault) {
            let number = (try writer.database.first("PRAGMA user_version") { $0.integer(0) } ?? 0) + 1
            try writer.database.execute("PRAGMA user_version = \(number)")
            if try writer.database.checkpoint(checkpoint) {
                store.progress.checkpoints = number
                if !count() { return }
            }
            onEvent(.checkpointed)
        } catch {
            // If the disk is full, the data stays in the log, where it is equally safe.
            if error.kind == .full { onEvent(.checkpointDiskFull) } else { fail(error) }
        }
    }

    /// Does work outside a transaction. Returns false if it failed, or if the store writes nothing more.
    mutating func perform(
        _ event: StoreEvent, _ body: (HistoryWriter) throws(DatabaseFault) -> Bool
    ) -> Bool {
        if hasFailed || !checkFiles() { return false }
        onEvent(event)
        do throws(DatabaseFault) {
            return try body(writer)
        } catch {
            switch error.kind {
            case .failed: fail(error)
            case .full: onEvent(.checkpointDiskFull)
            case .damaged: onEvent(.damaged(nil))
            }
            return false
        }
    }

    private mutating func failed(_ jobs: [WriteJob], _ fault: DatabaseFault, atCommit: Bool) {
        switch fault.kind {
        case .failed:
            fail(fault)
            refuse(jobs, atCommit ? .unknown : .refused(.refused(.failed)))
        // Although the commit has failed, its data may be on disk until the next commit overwrites it.
        case .full where atCommit && fault.isOutOfSpace:
            diskIsFull()
            refuse(jobs, .unknown)
        case .full, .damaged:
            if jobs.count == 1 {
                if fault.kind == .full { diskIsFull() } else { onEvent(.damaged(nil)) }
                return refuse(jobs, .refused(.refused(fault.refusal)))
            }
            // Run each call in its own transaction. Then a call that finds no space or reads damaged data
            // does not make the other calls fail.
            for job in jobs { run([job]) }
        }
    }

    private mutating func diskIsFull() {
        onEvent(.diskFull)
        // Retry the postponed checkpoint after the next successful commit, because the disk then has space.
        checkpointAt = 0
    }

    /// Whether the database files still have their names. If not, the store writes nothing more: it would ack
    /// changes that are lost when the process ends.
    mutating func checkFiles() -> Bool {
        if hasFailed { return false }
        if files.check() { return true }
        hasFailed = true
        writer.database.keepLog(true)
        onEvent(.filesLost(path: files.database))
        return false
    }

    mutating func close(damaged document: DocumentID) { writer.close(damaged: document) }

    private mutating func fail(_ fault: DatabaseFault) {
        hasFailed = true
        writer.database.keepLog(true)
        onEvent(.diskFailed(fault))
    }

    private func refuse(_ jobs: [WriteJob], _ failure: WriteJob.Failure) {
        completions.call(jobs.map { job in { job.refuse(failure) } })
    }

    /// Copies the whole write-ahead log into the database. All other connections must be closed before. If
    /// the copy fails, the data stays in the log, and the next start reads it from there.
    mutating func finish() { if !hasFailed { checkpoint(.whole) } }
}

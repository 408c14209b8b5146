import CaretLog

/// The writer: takes whatever is ready into one transaction, and tells nobody anything before it is synced.
///
/// Confined to the writer's thread.
struct GroupCommit {
    private var writer: HistoryWriter
    private var store: StoreRow
    /// Held as long as anything may be written.
    private let folder: DataFolder
    private let files: FilesInPlace
    private let counter: CommitCounter
    private let due: DueDocuments
    private let completions: CompletionQueue
    private let tell: @Sendable (StoreEvent) -> Void
    /// After the first failure of the disk nothing is written any more: a second sync after a failed one proves nothing.
    private var hasFailed = false
    /// The log is brought into the database when it holds so many pages.
    private var checkpointAt = GroupCommit.pagesBetweenCheckpoints
    private var pagesInLog = 0

    private static let pagesBetweenCheckpoints = 1000
    /// From here on a checkpoint waits for readers.
    private static let mostPages = 8 * pagesBetweenCheckpoints

    init(
        _ folder: DataFolder, _ files: FilesInPlace, _ database: Database, _ store: StoreRow,
        _ counter: CommitCounter, _ due: DueDocuments, _ completions: CompletionQueue,
        _ generation: Generation,
        isFresh: Bool,
        tell: @escaping @Sendable (StoreEvent) -> Void
    ) {
        writer = HistoryWriter(database: database, generation: generation, isFresh: isFresh)
        self.folder = folder
        self.files = files
        self.store = store
        self.counter = counter
        self.due = due
        self.completions = completions
        self.tell = tell
    }

    mutating func run(_ jobs: [WriteJob]) {
        // Before the commit, so that nobody reads what is not there; and after it, before anybody is told.
        if hasFailed || !lookAtFiles() { return refuse(jobs, .refused(.refused(.failed))) }
        var isWorkDone = false
        tell(.writing(jobs.count))
        do throws(DatabaseFault) {
            var next = store.place
            next.commits += 1
            let before = writer.database.totalChanges
            var isNeeded = false
            let answers = try writer.database.transaction(
                { () throws(DatabaseFault) in
                    let answers = try work(jobs)
                    isNeeded = writer.hasWritten || writer.database.totalChanges != before
                    if isNeeded {
                        try writer.database.run("UPDATE store SET commits = ?", .integer(next.commits))
                        tell(.committing(jobs.count))
                    }
                    isWorkDone = true
                    return answers
                }, isNeeded: { isNeeded }, orFault: \.self)
            if isNeeded { committed(next) }
            if isNeeded, !lookAtFiles() { return refuse(jobs, .refused(.refused(.failed))) }
            // What is on disk is told, whatever comes after.
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
                // A refusal is an answer like any other.
                case .refused(let refusal):
                    precondition(
                        writer.database.totalChanges == before, "a call was refused that had written")
                    answers.append { job.refuse(.refused(refusal)) }
                }
            }
        }
        return answers
    }

    private mutating func committed(_ place: StorePlace) {
        store.place = place
        if let generation = writer.takeNextGeneration() { store.place.generation = generation }
        tell(.committed)
        _ = count()
    }

    /// Writes down how far the store has got; whether there was space for it. A counter that lags behind is as good as
    /// one after a power cut.
    private mutating func count() -> Bool {
        do throws(DatabaseFault) {
            try counter.write(store.place)
            return true
        } catch {
            if error.kind == .full { tell(.checkpointFull) } else { fail(error) }
            return false
        }
    }

    private mutating func checkpointIfDue() {
        let pages = writer.database.pagesInLog
        // The log was begun anew.
        if pages < pagesInLog { checkpointAt = GroupCommit.pagesBetweenCheckpoints }
        pagesInLog = pages
        if pages < checkpointAt { return }
        checkpointAt = pages + GroupCommit.pagesBetweenCheckpoints
        // Readers that take turns would keep the log from ever being begun anew.
        checkpoint(pages < GroupCommit.mostPages ? .passive : .patient)
    }

    /// Brings the log into the database, which bears its number from then on: a file without it is older than the log.
    private mutating func checkpoint(_ checkpoint: Database.Checkpoint) {
        tell(.checkpointing)
        do throws(DatabaseFault) {
            let number = (try writer.database.first("PRAGMA user_version") { $0.integer(0) } ?? 0) + 1
            try writer.database.execute("PRAGMA user_version = \(number)")
            if try writer.database.checkpoint(checkpoint) {
                store.place.checkpoints = number
                if !count() { return }
            }
            tell(.checkpointed)
        } catch {
            // What does not fit the disk yet stays in the log, where it is as safe.
            if error.kind == .full { tell(.checkpointFull) } else { fail(error) }
        }
    }

    private mutating func failed(_ jobs: [WriteJob], _ fault: DatabaseFault, atCommit: Bool) {
        switch fault.kind {
        case .failed:
            fail(fault)
            refuse(jobs, atCommit ? .unknown : .refused(.refused(.failed)))
        // It may be on disk all the same, though what comes next will be written over it.
        case .full where atCommit && fault.isOutOfSpace:
            diskIsFull()
            refuse(jobs, .unknown)
        case .full, .damaged:
            if jobs.count == 1 {
                if fault.kind == .full { diskIsFull() } else { tell(.damaged(nil)) }
                return refuse(jobs, .refused(.refused(fault.refusal)))
            }
            // Each alone, so that one that does not fit the disk, or meets damage, costs the others nothing.
            for job in jobs { run([job]) }
        }
    }

    private mutating func diskIsFull() {
        tell(.full)
        // Whatever is committed next has found space, and what was held back may find it too.
        checkpointAt = 0
    }

    /// Whether the files are still where they were. Where they are not, nothing is written from then on: what is in them
    /// would be acked, and gone when the process ends.
    mutating func lookAtFiles() -> Bool {
        if hasFailed { return false }
        if files.look() { return true }
        hasFailed = true
        writer.database.keepLog(true)
        tell(.lost(path: files.database))
        return false
    }

    mutating func close(damaged document: DocumentID) { writer.close(damaged: document) }

    private mutating func fail(_ fault: DatabaseFault) {
        hasFailed = true
        writer.database.keepLog(true)
        tell(.failed(fault))
    }

    private func refuse(_ jobs: [WriteJob], _ end: WriteJob.End) {
        completions.call(jobs.map { job in { job.refuse(end) } })
    }

    /// Brings the whole log into the database, once nobody else has it open. What does not come in stays in the log, and
    /// is found there when the folder is opened again.
    mutating func finish() { if !hasFailed { checkpoint(.whole) } }
}

import CaretLog

/// The writer: takes whatever is ready into one transaction, and tells nobody anything before it is synced.
///
/// Confined to the writer's queue.
struct GroupCommit {
    private var writer: HistoryWriter
    private var store: StoreRow
    private let counter: CommitCounter
    private let due: DueDocuments
    private let tell: @Sendable (StoreEvent) -> Void
    /// After the first failure of the disk nothing is written any more: a second sync after a failed one proves nothing.
    private var hasFailed = false
    /// The log is brought into the database when it holds so many pages.
    private var checkpointAt = GroupCommit.pagesBetweenCheckpoints
    private var pagesInLog = 0

    private static let pagesBetweenCheckpoints = 1000

    init(
        _ database: Database, _ store: StoreRow, _ counter: CommitCounter, _ due: DueDocuments,
        tell: @escaping @Sendable (StoreEvent) -> Void
    ) {
        writer = HistoryWriter(database: database, generation: store.place.generation)
        self.store = store
        self.counter = counter
        self.due = due
        self.tell = tell
    }

    mutating func run(_ jobs: [WriteJob]) {
        if hasFailed { return refuse(jobs, .refused(.refused(.failed))) }
        var isWorkDone = false
        tell(.writing(jobs.count))
        do throws(DatabaseFault) {
            let next = StorePlace(
                generation: store.place.generation, commits: store.place.commits + 1)
            let answers = try writer.database.transaction { () throws(DatabaseFault) in
                let answers = try work(jobs)
                try writer.database.run("UPDATE store SET commits = ?", .integer(next.commits))
                isWorkDone = true
                tell(.committing(jobs.count))
                return answers
            } orFault: {
                $0
            }
            store.place = next
            committed(answers)
        } catch {
            writer.rolledBack()
            failed(jobs, error, atCommit: isWorkDone)
        }
    }

    private mutating func work(_ jobs: [WriteJob]) throws(DatabaseFault) -> [@Sendable () -> Void] {
        var answers: [@Sendable () -> Void] = []
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

    private mutating func committed(_ answers: [@Sendable () -> Void]) {
        tell(.committed(answers.count))
        do throws(DatabaseFault) { try counter.write(store.place) } catch { fail(error) }
        // What is on disk is told, whatever comes after.
        for answer in answers { answer() }
        due.add(writer.committed())
        if !hasFailed { checkpointIfDue() }
    }

    private mutating func checkpointIfDue() {
        let pages = writer.database.pagesInLog
        // The log was begun anew.
        if pages < pagesInLog { checkpointAt = GroupCommit.pagesBetweenCheckpoints }
        pagesInLog = pages
        if pages < checkpointAt { return }
        tell(.checkpointing)
        do throws(DatabaseFault) {
            try writer.database.checkpoint(.passive)
            checkpointAt = pages + GroupCommit.pagesBetweenCheckpoints
            tell(.checkpointed)
        } catch {
            // What does not fit the disk yet stays in the log, where it is as safe; the next group tries again.
            if error.kind == .full { tell(.full) } else { fail(error) }
        }
    }

    private mutating func failed(_ jobs: [WriteJob], _ fault: DatabaseFault, atCommit: Bool) {
        switch fault.kind {
        case .failed:
            fail(fault)
            refuse(jobs, atCommit ? .unknown : .refused(.refused(.failed)))
        case .full, .damaged:
            if jobs.count == 1 {
                tell(fault.kind == .full ? .full : .damaged(nil))
                return refuse(jobs, .refused(.refused(fault.refusal)))
            }
            // Each alone, so that one that does not fit the disk, or meets damage, costs the others nothing.
            for job in jobs { run([job]) }
        }
    }

    private mutating func fail(_ fault: DatabaseFault) {
        hasFailed = true
        writer.database.keepLog()
        tell(.failed(fault))
    }

    private func refuse(_ jobs: [WriteJob], _ end: WriteJob.End) {
        for job in jobs { job.refuse(end) }
    }

    /// Brings the whole log into the database, once nobody else has it open.
    func finish() {
        if hasFailed { return }
        // What does not come in stays in the log, and is found there when the folder is opened again.
        try? writer.database.checkpoint(.whole)
    }
}

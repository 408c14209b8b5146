import CaretLog

/// One call that writes: what it does inside a transaction, and how its caller is told.
struct WriteJob: Sendable {
    /// Why there is no answer.
    enum End: Sendable {
        case refused(HistoryRefusal)
        /// The commit failed, and may be on disk all the same.
        case unknown
    }

    /// Does the work; what it gives is called once the transaction is committed.
    let work: @Sendable (HistoryWriter) throws(DatabaseFault) -> @Sendable () -> Void
    /// Tells the caller that there was no commit.
    let refuse: @Sendable (End) -> Void

    init(
        _ body: @escaping @Sendable (HistoryWriter) throws(StoreFault) -> @Sendable () -> Void,
        or refuse: @escaping @Sendable (End) -> Void
    ) {
        self.refuse = refuse
        work = { writer throws(DatabaseFault) in
            do throws(StoreFault) {
                return try body(writer)
            } catch {
                switch error {
                // A refusal is an answer like any other: it must have written nothing.
                case .refused(let refusal): return { refuse(.refused(refusal)) }
                case .database(let fault): throw fault
                }
            }
        }
    }
}

extension WriteJob.End {
    var historyRefusal: HistoryRefusal {
        switch self {
        case .refused(let refusal): refusal
        case .unknown: .refused(.failed)
        }
    }

    var refusal: StoreRefusal { StoreFault.refused(historyRefusal).refusal }

    var appendOutcome: AppendOutcome {
        switch self {
        case .unknown: .unknown
        case .refused:
            switch refusal {
            case .gone: .gone
            case .damaged: .damaged
            case .full: .full
            case .failed: .failed
            }
        }
    }
}

/// The writer: takes whatever is ready into one transaction, and tells nobody anything before it is synced.
///
/// Confined to the writer's queue.
struct GroupCommit {
    private let writer: HistoryWriter
    /// After the first failure of the disk nothing is written any more: a second sync after a failed one proves nothing.
    private var hasFailed = false

    init(_ writer: HistoryWriter) { self.writer = writer }

    mutating func run(_ jobs: [WriteJob]) {
        if hasFailed { return tell(jobs, .refused(.refused(.failed))) }
        var isWorkDone = false
        do throws(DatabaseFault) {
            let answers = try writer.database.transaction { () throws(DatabaseFault) in
                var answers: [@Sendable () -> Void] = []
                for job in jobs { answers.append(try job.work(writer)) }
                isWorkDone = true
                return answers
            } orFault: {
                $0
            }
            for answer in answers { answer() }
        } catch {
            failed(jobs, error, atCommit: isWorkDone)
        }
    }

    private mutating func failed(_ jobs: [WriteJob], _ fault: DatabaseFault, atCommit: Bool) {
        switch fault.kind {
        case .failed:
            hasFailed = true
            tell(jobs, atCommit ? .unknown : .refused(.refused(.failed)))
        case .full, .damaged:
            if jobs.count == 1 { return tell(jobs, .refused(.refused(fault.refusal))) }
            // Each alone, so that one that does not fit the disk, or meets damage, costs the others nothing.
            for job in jobs { run([job]) }
        }
    }

    private func tell(_ jobs: [WriteJob], _ end: WriteJob.End) {
        for job in jobs { job.refuse(end) }
    }
}

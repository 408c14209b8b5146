import CaretLog

/// One call that writes: what it does inside a transaction, and how its caller is told.
struct WriteJob: Sendable {
    /// Why there is no answer.
    enum End: Sendable {
        case refused(HistoryRefusal)
        /// The commit failed, and may be on disk all the same.
        case unknown
    }

    /// Does the work; what it gives is called once the transaction is committed. What it refuses it has not begun to
    /// write.
    let work: @Sendable (inout HistoryWriter) throws(StoreFault) -> @Sendable () -> Void
    /// Tells the caller that there was no commit.
    let refuse: @Sendable (End) -> Void
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

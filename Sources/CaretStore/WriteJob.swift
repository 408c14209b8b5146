import CaretFormat
import CaretLog

/// One call that writes: its work inside a transaction, and a closure that tells the caller of a refusal.
struct WriteJob: Sendable {
    /// Why a call failed.
    enum Failure: Sendable {
        case refused(HistoryRefusal)
        /// The commit failed, but its data may be on disk.
        case unknown
    }

    /// Does the work, and returns the closure to call after the commit. If it throws a refusal, it has
    /// written nothing.
    let work: @Sendable (inout HistoryWriter) throws(StoreFault) -> @Sendable () -> Void
    /// Notifies the caller that the call was not committed.
    let refuse: @Sendable (Failure) -> Void
}

extension WriteJob.Failure {
    var historyRefusal: HistoryRefusal {
        switch self {
        case .refused(let refusal): refusal
        case .unknown: .refused(.failed)
        }
    }

    var refusal: StoreRefusal { historyRefusal.storeRefusal }

    var appendOutcome: AppendOutcome {
        switch self {
        case .unknown: .unknown
        case .refused:
            switch refusal {
            case .gone: .documentGone
            case .damaged: .documentDamaged
            case .full: .diskFull
            case .failed: .diskFailed
            case .away: .away
            }
        }
    }
}

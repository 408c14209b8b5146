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

    /// The answer to a call that failed.
    func answer(to call: StoreCall) -> StoreAnswer {
        switch (self, call) {
        case (.unknown, .append): .appended(.unknown)
        case (.unknown, .appendLocked): .appendedLocked(missed: [], .unknown)
        default: call.refused(historyRefusal)
        }
    }
}

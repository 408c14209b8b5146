import CaretFormat
package import CaretLog

/// Why a call inside the store failed.
package enum StoreFault: HistoryFault {
    /// The store refused the call. The caller gets this refusal.
    case refused(HistoryRefusal)
    /// A row has something that no server writes.
    case damagedRow(String)
    /// SQLite failed. The whole transaction is rolled back.
    case database(DatabaseFault)
}

extension DatabaseFault {
    var refusal: StoreRefusal {
        switch kind {
        case .full: .full
        case .damaged: .damaged
        case .failed: .failed
        }
    }
}

extension StoreFault {
    package var historyRefusal: HistoryRefusal {
        switch self {
        case .refused(let refusal): refusal
        case .damagedRow: .refused(.damaged)
        case .database(let fault): .refused(fault.refusal)
        }
    }

    package var unreadReason: String? {
        switch self {
        case .refused: nil
        case .damagedRow(let reason): reason
        case .database(let fault): fault.message
        }
    }
}

extension Database {
    /// Runs a statement like `run`, but throws a `StoreFault`.
    func write(_ sql: StaticString, binding bind: (inout Binding) -> Void) throws(StoreFault) {
        do throws(DatabaseFault) { try run(sql, binding: bind) } catch { throw .database(error) }
    }
}

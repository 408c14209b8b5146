import CaretFormat
package import CaretLog

/// Why a call inside the store failed.
package enum StoreFault: HistoryFault {
    /// The store refused the call. The caller gets this refusal.
    case refused(HistoryRefusal)
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
        case .database(let fault): .refused(fault.refusal)
        }
    }

    package var unreadReason: String? {
        switch self {
        case .refused: nil
        case .database(let fault): fault.message
        }
    }
}

extension Database {
    /// Runs a statement like `run`, but throws a `StoreFault`.
    func write(_ sql: String, _ values: [Value]) throws(StoreFault) {
        do throws(DatabaseFault) { try run(sql, values) } catch { throw .database(error) }
    }

    func write(_ sql: StaticString, binding bind: (inout Binding) -> Void) throws(StoreFault) {
        do throws(DatabaseFault) { try run(sql, binding: bind) } catch { throw .database(error) }
    }

    func one<Result>(_ sql: String, _ values: Value..., read: (Row) -> Result) throws(StoreFault) -> Result? {
        do throws(DatabaseFault) { return try first(sql, values, read: read) } catch {
            throw .database(error)
        }
    }

    func every<Result>(_ sql: String, _ values: Value..., read: (Row) -> Result) throws(StoreFault)
        -> [Result]
    {
        do throws(DatabaseFault) { return try all(sql, values, read: read) } catch { throw .database(error) }
    }
}

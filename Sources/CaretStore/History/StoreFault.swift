package import CaretLog

/// What stops a call inside the store.
package enum StoreFault: Error {
    /// What the caller is told.
    case refused(HistoryRefusal)
    /// SQLite failed; the whole transaction is undone.
    case database(DatabaseFault)

    static let gone = StoreFault.refused(.refused(.gone))
    static let damaged = StoreFault.refused(.refused(.damaged))
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
    /// What a call answers that asks for a part of a history.
    var historyRefusal: HistoryRefusal {
        switch self {
        case .refused(let refusal): refusal
        case .database(let fault): .refused(fault.refusal)
        }
    }

    /// What a call answers that asks for a document.
    var refusal: StoreRefusal {
        switch historyRefusal {
        case .refused(let refusal): refusal
        case .ahead, .trimmed, .wrongText:
            preconditionFailure("a call for a document met a refusal of its history")
        }
    }
}

extension Database {
    /// The same calls for whoever answers with a `StoreFault`.
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

/// Why a store could not be checked or copied.
package enum MaintenanceFault: Error, Equatable, Sendable {
    /// The copy is damaged, so the store is damaged too. The partial copy was removed.
    case damaged(CheckReport)
    /// A file with the name of the copy exists. It was left unchanged.
    case exists
    /// The store was closed meanwhile.
    case stopped
    /// A call to the database or to the file system failed.
    case storage(StoreRefusal, Code)

    /// The number of a fault, as the part that failed has reported it.
    package enum Code: Equatable, Sendable {
        case errno(Int32)
        case sqlite(Int32)
    }
}

extension MaintenanceFault {
    package var refusal: StoreRefusal {
        switch self {
        case .damaged: .damaged
        case .exists, .stopped: .failed
        case .storage(let refusal, _): refusal
        }
    }
}

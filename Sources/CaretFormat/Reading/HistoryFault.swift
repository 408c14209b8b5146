package import CaretLog

/// An error of a store's connection: the refusal of a call, or a failure of the database.
package protocol HistoryFault: DamageFault, Sendable {
    static func refused(_ refusal: HistoryRefusal) -> Self

    /// What the caller of the store is told.
    var historyRefusal: HistoryRefusal { get }

    /// The reason for an operator, if the database could not be read; nil for a refusal.
    var unreadReason: String? { get }
}

extension HistoryFault {
    package static var gone: Self { .refused(.refused(.gone)) }
    package static var damaged: Self { .refused(.refused(.damaged)) }

    /// The refusal for a call that does not depend on revisions.
    package var refusal: StoreRefusal { historyRefusal.storeRefusal }
}

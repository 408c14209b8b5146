package import CaretLog

/// An error of a store's connection: the refusal of a call, or a failure of the database.
package protocol HistoryFault: DamageFault, Sendable {
    static func refused(_ refusal: HistoryRefusal) -> Self

    /// A row has something that no server writes. `reason` is for an operator.
    static func damagedRow(_ reason: String) -> Self

    /// What the caller of the store is told.
    var historyRefusal: HistoryRefusal { get }

    /// The reason for an operator, if the database could not be read; nil for a refusal.
    var unreadReason: String? { get }
}

extension HistoryFault {
    /// Runs `body`, and throws what it finds damaged.
    package static func reading<Answer>(
        _ body: () throws(DamagedRow) -> Answer
    ) throws(Self) -> Answer {
        do throws(DamagedRow) { return try body() } catch { throw .damagedRow(error.reason) }
    }

    package static var gone: Self { .refused(.refused(.gone)) }
    package static var damaged: Self { .refused(.refused(.damaged)) }

    /// The refusal for a call that does not depend on revisions.
    package var refusal: StoreRefusal { historyRefusal.storeRefusal }
}

import Synchronization

/// All tallies of a server, for reading them together: for the command line or a page of metrics.
package final class CounterBoard: Sendable {
    private let sheets = Mutex<[TallySheet]>([])

    package init() {}

    /// Makes a tally for another loop or queue. It lives as long as the board. Owners that come and go, such
    /// as rooms, use the tally of their queue.
    package func tally() -> sending Tally {
        let sheet = TallySheet()
        sheets.withLock { $0.append(sheet) }
        return Tally(sheet: sheet)
    }

    /// The sum of all tallies. It calls no owner, so it also includes an owner that is stuck.
    package var counts: Counts {
        sheets.withLock { $0 }.map(\.counts).reduce(Counts(), +)
    }
}

import Synchronization

/// The tallies of a server, and the one way to read them: for the command line, for a page of metrics.
package final class CounterBoard: Sendable {
    private let sheets = Mutex<[TallySheet]>([])

    package init() {}

    /// A tally for one more loop or queue. It counts for as long as the board is there: owners that come and go, as
    /// rooms do, count where their queue does.
    package func tally() -> sending Tally {
        let sheet = TallySheet()
        sheets.withLock { $0.append(sheet) }
        return Tally(sheet: sheet)
    }

    /// What all of them have counted. No owner is asked, so one that is stuck is seen too.
    package var counts: Counts {
        sheets.withLock { $0 }.map(\.counts).reduce(Counts(), +)
    }
}

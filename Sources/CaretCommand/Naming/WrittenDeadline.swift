import CaretClient
package import FoundationEssentials

/// A future time as users write it: a duration from now, or a time. A date without a time is the beginning of
/// that day.
package enum WrittenDeadline: Equatable, Sendable {
    case after(seconds: Int)
    case at(WrittenTime)

    package init?(_ text: some StringProtocol) {
        if let seconds = WrittenDuration.seconds(text) {
            self = .after(seconds: seconds)
        } else if let time = WrittenTime(text) {
            self = .at(time)
        } else {
            return nil
        }
    }

    static let expected = "a future time: 12h, 30d or 4w from now, or a time (2026-12-31, 2026-12-31T18:00Z)"

    /// Nil if the time is not in the future.
    package func date(after now: Date) -> Date? {
        let date =
            switch self {
            case .after(let seconds): now.addingTimeInterval(Double(seconds))
            case .at(let time): time.date
            }
        return date > now ? date : nil
    }
}

/// A time in UTC, split into the parts of date and clock.
package struct UTCTime: Equatable, Sendable {
    package let year: Int64
    /// From 1.
    package let month: Int
    package let day: Int
    /// Days since Sunday.
    package let weekday: Int
    package let hour: Int
    package let minute: Int
    package let second: Int

    /// `milliseconds` are since 1970, and not negative. Parts of a second are dropped.
    package init(milliseconds: Int64) {
        let seconds = milliseconds / 1_000
        let (days, second) = (seconds / 86_400, Int(seconds % 86_400))
        (hour, minute, self.second) = (second / 3_600, second / 60 % 60, second % 60)
        // 1 January 1970 was a Thursday.
        weekday = Int((days + 4) % 7)
        // Years begin in March here, so that the leap day is the last day of a year.
        let shifted = days + 719_468
        let (era, dayOfEra) = (shifted / 146_097, shifted % 146_097)
        let yearOfEra = (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let monthFromMarch = (5 * dayOfYear + 2) / 153
        month = Int((monthFromMarch + 2) % 12 + 1)
        year = era * 400 + yearOfEra + (month <= 2 ? 1 : 0)
        day = Int(dayOfYear - (153 * monthFromMarch + 2) / 5 + 1)
    }

    /// The number with at least this many digits.
    package static func padded(_ number: some BinaryInteger, to digits: Int) -> String {
        let text = String(number)
        return String(repeating: "0", count: max(0, digits - text.utf8.count)) + text
    }
}

extension UTCTime: CustomStringConvertible {
    /// For messages to people: `2026-12-23 10:00:05 UTC`.
    package var description: String {
        let date = [UTCTime.padded(year, to: 4), UTCTime.padded(month, to: 2), UTCTime.padded(day, to: 2)]
        let clock = [hour, minute, second].map { UTCTime.padded($0, to: 2) }
        return date.joined(separator: "-") + " " + clock.joined(separator: ":") + " UTC"
    }
}

/// Formats times for the `Date` field, such as `Sun, 06 Nov 1994 08:49:37 GMT`.
package enum HTTPDate {
    private static let days = ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"]
    private static let months = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]

    /// `time` is in milliseconds since 1970.
    package static func text(of time: Int64) -> String {
        let seconds = time / 1_000
        let (day, second) = (seconds / 86_400, seconds % 86_400)
        let (year, month, dayOfMonth) = civil(day)
        let clock = [second / 3_600, second / 60 % 60, second % 60].map { padded($0, to: 2) }
        return "\(days[Int(day % 7)]), \(padded(dayOfMonth, to: 2)) \(months[month]) \(padded(year, to: 4)) "
            + clock.joined(separator: ":") + " GMT"
    }

    private static func padded(_ number: Int64, to digits: Int) -> String {
        let text = String(number)
        return String(repeating: "0", count: max(0, digits - text.count)) + text
    }

    /// The date of a day, counted from 1 January 1970. Months count from 0.
    private static func civil(_ day: Int64) -> (year: Int64, month: Int, dayOfMonth: Int64) {
        // Years begin in March here, so that the leap day is the last day of a year.
        let shifted = day + 719_468
        let (era, dayOfEra) = (shifted / 146_097, shifted % 146_097)
        let yearOfEra = (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let marchMonth = (5 * dayOfYear + 2) / 153
        let month = (marchMonth + 2) % 12
        let year = era * 400 + yearOfEra + (month < 2 ? 1 : 0)
        return (year, Int(month), dayOfYear - (153 * marchMonth + 2) / 5 + 1)
    }
}

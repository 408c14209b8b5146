import CaretWire

/// Formats times for the `Date` field, such as `Sun, 06 Nov 1994 08:49:37 GMT`.
package enum HTTPDate {
    private static let days = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"]
    private static let months = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]

    /// `time` is in milliseconds since 1970.
    package static func text(of time: Int64) -> String {
        let parts = UTCTime(milliseconds: time)
        let clock = [parts.hour, parts.minute, parts.second].map { UTCTime.padded($0, to: 2) }
        return "\(days[parts.weekday]), \(UTCTime.padded(parts.day, to: 2)) \(months[parts.month - 1]) "
            + "\(UTCTime.padded(parts.year, to: 4)) " + clock.joined(separator: ":") + " GMT"
    }
}

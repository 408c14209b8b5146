import Glibc

/// A point in time in whole seconds since 1970, as certificates have it.
package struct TLSTime: Comparable, Sendable, CustomStringConvertible {
    package let seconds: Int64

    package init(seconds: Int64) { self.seconds = seconds }

    /// The current time.
    package static var now: TLSTime { TLSTime(seconds: Int64(time(nil))) }

    package static func < (left: TLSTime, right: TLSTime) -> Bool { left.seconds < right.seconds }

    package static let secondsADay: Int64 = 86_400

    package func after(days: Int) -> TLSTime {
        TLSTime(seconds: seconds + Int64(days) * Self.secondsADay)
    }

    /// The time in UTC, such as `2026-11-23 01:42 UTC`.
    package var description: String {
        var seconds = time_t(seconds)
        var parts = tm()
        gmtime_r(&seconds, &parts)
        let date = "\(parts.tm_year + 1900)-\(Self.padded(parts.tm_mon + 1))-\(Self.padded(parts.tm_mday))"
        return "\(date) \(Self.padded(parts.tm_hour)):\(Self.padded(parts.tm_min)) UTC"
    }

    private static func padded(_ number: Int32) -> String { number < 10 ? "0\(number)" : "\(number)" }
}

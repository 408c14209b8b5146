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
        let minutes = seconds.floored(by: 60)
        let (day, minute) = (minutes.floored(by: 1_440), minutes.remainder(by: 1_440))
        let clock = "\(Self.padded(minute / 60)):\(Self.padded(minute % 60))"
        return "\(Self.date(ofDay: day)) \(clock) UTC"
    }

    /// The date of a day, which is counted from 1970-01-01. The computation begins years in March, so that a leap day
    /// is the last day of its year.
    private static func date(ofDay day: Int64) -> String {
        let (daysOf400Years, daysBefore1970): (Int64, Int64) = (146_097, 719_468)
        let shifted = day + daysBefore1970
        let (era, dayOfEra) = (shifted.floored(by: daysOf400Years), shifted.remainder(by: daysOf400Years))
        let yearOfEra = (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let monthFromMarch = (5 * dayOfYear + 2) / 153
        let dayOfMonth = dayOfYear - (153 * monthFromMarch + 2) / 5 + 1
        let month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9
        let year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
        return "\(year)-\(padded(month))-\(padded(dayOfMonth))"
    }

    private static func padded(_ number: Int64) -> String { number < 10 ? "0\(number)" : "\(number)" }
}

extension Int64 {
    fileprivate func floored(by divisor: Int64) -> Int64 { (self - remainder(by: divisor)) / divisor }

    /// Never negative.
    fileprivate func remainder(by divisor: Int64) -> Int64 {
        let rest = self % divisor
        return rest < 0 ? rest + divisor : rest
    }
}

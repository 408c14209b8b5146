import CaretClient
import FoundationEssentials
import Glibc

/// Formats times for the output.
enum Stamp {
    /// In the local time zone: `2026-11-21 12:31:35`.
    static func local(_ date: Date) -> String {
        var (seconds, parts) = (time_t(date.timeIntervalSince1970.rounded(.down)), tm())
        localtime_r(&seconds, &parts)
        return text(parts, between: " ")
    }

    /// In UTC, for programs: `2026-11-21T12:31:35.123Z`.
    static func universal(_ date: Date) -> String {
        let milliseconds = date.milliseconds
        let (whole, rest) = (milliseconds.flooredQuotient(1_000), milliseconds.flooredRemainder(1_000))
        var (seconds, parts) = (time_t(whole), tm())
        gmtime_r(&seconds, &parts)
        return text(parts, between: "T") + "." + digits(rest, 3) + "Z"
    }

    private static func text(_ parts: tm, between: String) -> String {
        let date = [
            digits(Int(parts.tm_year) + 1900, 4), digits(Int(parts.tm_mon) + 1, 2),
            digits(Int(parts.tm_mday), 2),
        ]
        let time = [parts.tm_hour, parts.tm_min, parts.tm_sec].map { digits(Int($0), 2) }
        return date.joined(separator: "-") + between + time.joined(separator: ":")
    }

    private static func digits(_ number: Int, _ count: Int) -> String {
        let text = String(number)
        return String(repeating: "0", count: max(0, count - text.utf8.count)) + text
    }
}

extension Int {
    fileprivate func flooredRemainder(_ divisor: Int) -> Int { (self % divisor + divisor) % divisor }
    fileprivate func flooredQuotient(_ divisor: Int) -> Int {
        (self - flooredRemainder(divisor)) / divisor
    }
}

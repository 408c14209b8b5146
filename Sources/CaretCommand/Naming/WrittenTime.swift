/// A time as users write it: `2026-11-20`, `2026-11-20T14:30` or `2026-11-20T14:30:05`. It is local time, or
/// has `Z` or `+01:00` at the end.
package struct WrittenTime: Equatable, Sendable {
    package enum Zone: Equatable, Sendable {
        case local
        /// Positive east of Greenwich.
        case offset(seconds: Int)
    }

    let year: Int
    let month: Int
    let day: Int
    let hour: Int
    let minute: Int
    let second: Int
    package let zone: Zone

    package init?(_ text: some StringProtocol) {
        var bytes = Array(text.utf8)[...]
        guard let year = bytes.consumeNumber(4), bytes.consume("-"), let month = bytes.consumeNumber(2),
            bytes.consume("-"), let day = bytes.consumeNumber(2)
        else { return nil }
        var (hour, minute, second, zone) = (0, 0, 0, Zone.local)
        if bytes.consume("T") {
            guard let hours = bytes.consumeNumber(2), bytes.consume(":"), let minutes = bytes.consumeNumber(2)
            else {
                return nil
            }
            (hour, minute) = (hours, minutes)
            if bytes.consume(":") {
                guard let seconds = bytes.consumeNumber(2) else { return nil }
                second = seconds
            }
            guard let found = bytes.consumeZone() else { return nil }
            zone = found
        }
        guard bytes.isEmpty, 1...12 ~= month, 1...WrittenTime.days(in: month, of: year) ~= day,
            hour < 24, minute < 60, second < 60
        else { return nil }
        (self.year, self.month, self.day) = (year, month, day)
        (self.hour, self.minute, self.second, self.zone) = (hour, minute, second, zone)
    }

    private static func days(in month: Int, of year: Int) -> Int {
        switch month {
        case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
        case 4, 6, 9, 11: 30
        case _: 31
        }
    }

    /// Seconds since 1970, as if the time were UTC.
    package var secondsWithoutZone: Int {
        // Counts years from March, so that a leap day is the last day of its year.
        let (years, months) = month > 2 ? (year, month - 3) : (year - 1, month + 9)
        let days = years * 365 + years / 4 - years / 100 + years / 400 + (months * 153 + 2) / 5 + day - 1
        let daysBefore1970 = 719_468
        return ((days - daysBefore1970) * 24 + hour) * 3_600 + minute * 60 + second
    }
}

extension ArraySlice<UInt8> {
    fileprivate mutating func consume(_ sign: Unicode.Scalar) -> Bool {
        guard first == UInt8(ascii: sign) else { return false }
        removeFirst()
        return true
    }

    /// Reads exactly `digits` digits.
    fileprivate mutating func consumeNumber(_ digits: Int) -> Int? {
        let found = prefix(digits)
        guard found.count == digits, found.allSatisfy({ 0x30...0x39 ~= $0 }) else { return nil }
        removeFirst(digits)
        return found.reduce(0) { $0 * 10 + Int($1 - 0x30) }
    }

    fileprivate mutating func consumeZone() -> WrittenTime.Zone? {
        if consume("Z") { return .offset(seconds: 0) }
        let sign = consume("+") ? 1 : consume("-") ? -1 : 0
        if sign == 0 { return .local }
        guard let hours = consumeNumber(2), consume(":"), let minutes = consumeNumber(2), hours < 24,
            minutes < 60
        else { return nil }
        return .offset(seconds: sign * (hours * 3_600 + minutes * 60))
    }
}

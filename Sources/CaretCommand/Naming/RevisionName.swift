package import CaretCore

/// A revision as users write it.
package enum RevisionName: Equatable, Sendable {
    case head
    case number(Revision)
    /// The newest revision at the time `seconds` before now.
    case ago(seconds: Int)
    /// The newest revision at that time.
    case time(WrittenTime)

    /// Accepts `900`, `2h` (units: `s`, `m` or `min` for minutes, `h`, `d`, `w`), or a time (see
    /// `WrittenTime`). An empty text is the head.
    init?(_ text: some StringProtocol) {
        if text.isEmpty {
            self = .head
        } else if let number = RevisionName.number(text) {
            self = .number(Revision(number))
        } else if let seconds = RevisionName.span(text) {
            self = .ago(seconds: seconds)
        } else if let time = WrittenTime(text) {
            self = .time(time)
        } else {
            return nil
        }
    }

    static let expected = "a revision (900), an age (90s, 30m, 2h, 3d, 1w) or a time (2026-11-20T14:30)"

    private static let units = ["s": 1, "m": 60, "min": 60, "h": 3_600, "d": 86_400, "w": 604_800]

    /// The longest age is a thousand years. The highest revision is the largest integer that is exact in
    /// JavaScript.
    private static let (longest, highest) = (1_000 * 365 * 86_400, (1 << 53) - 1)

    private static func number(_ text: some StringProtocol) -> Int? {
        guard text.utf8.allSatisfy({ 0x30...0x39 ~= $0 }), let number = Int(text) else { return nil }
        return number <= highest ? number : nil
    }

    private static func span(_ text: some StringProtocol) -> Int? {
        let digits = text.utf8.prefix { 0x30...0x39 ~= $0 }.count
        guard let number = number(text.prefix(digits)), digits > 0 else { return nil }
        guard let unit = units[String(text.dropFirst(digits))] else { return nil }
        return number <= longest / unit ? number * unit : nil
    }
}

/// Reads durations as users write them on the command line: `90s`, `30m`, `12h`, `30d`, `2w`.
enum WrittenDuration {
    /// `m` and `min` both mean minutes.
    private static let units = ["s": 1, "m": 60, "min": 60, "h": 3_600, "d": 86_400, "w": 604_800]

    /// The longest duration is a thousand years.
    private static let longest = 1_000 * 365 * 86_400

    /// The seconds of a whole number with a unit. Nil if the text is not a duration.
    static func seconds(_ text: some StringProtocol) -> Int? {
        let digits = text.utf8.prefix { 0x30...0x39 ~= $0 }.count
        guard digits > 0, let number = Int(text.prefix(digits)),
            let unit = units[String(text.dropFirst(digits))]
        else { return nil }
        return number <= longest / unit ? number * unit : nil
    }
}

package import CaretCore
import CaretLog

/// A revision as users write it.
package enum RevisionName: Equatable, Sendable {
    case head
    case number(Revision)
    /// The newest revision at the time `seconds` before now.
    case ago(seconds: Int)
    /// The newest revision at that time.
    case time(WrittenTime)
    /// The revision with this tag.
    case tag(String)

    /// Accepts `900`, a duration (see `WrittenDuration`), a time (see `WrittenTime`), or a tag (see `TagName`).
    /// An empty text is the head.
    init?(_ text: some StringProtocol) {
        if text.isEmpty {
            self = .head
        } else if let number = RevisionName.number(text) {
            self = .number(Revision(number))
        } else if let seconds = WrittenDuration.seconds(text) {
            self = .ago(seconds: seconds)
        } else if let time = WrittenTime(text) {
            self = .time(time)
        } else if TagName(String(text)) != nil {
            self = .tag(String(text))
        } else {
            return nil
        }
    }

    static let expected =
        "a revision (900), a tag (draft-1), an age (90s, 30m, 2h, 3d, 1w) or a time (2026-11-20T14:30)"

    /// The highest revision is the largest integer that is exact in JavaScript.
    private static let highest = (1 << 53) - 1

    private static func number(_ text: some StringProtocol) -> Int? {
        guard text.utf8.allSatisfy({ 0x30...0x39 ~= $0 }), let number = Int(text) else { return nil }
        return number <= highest ? number : nil
    }
}

import CaretCommand
import Foundation
import Testing

@Suite("Future times as users write them") struct WrittenDeadlineTests {
    private static let now = Date(timeIntervalSince1970: 1_790_000_000)

    @Test(
        "a duration is counted from now, and a time is exact",
        arguments: [
            ("1s", 1_790_000_001), ("90s", 1_790_000_090), ("30m", 1_790_001_800), ("30min", 1_790_001_800),
            ("12h", 1_790_043_200), ("30d", 1_792_592_000), ("4w", 1_792_419_200),
            ("365000d", 1_790_000_000 + 365_000 * 86_400), ("2026-12-31T00:00Z", 1_798_675_200),
            ("2026-12-31T00:00:01+01:00", 1_798_671_601),
        ])
    func future(text: String, seconds: Double) {
        let date = WrittenDeadline(text)?.date(after: WrittenDeadlineTests.now)
        #expect(date == Date(timeIntervalSince1970: seconds))
    }

    @Test("the past and the present are no deadlines")
    func past() throws {
        let now = WrittenDeadlineTests.now
        for text in ["0s", "2026-09-21T14:13:20Z", "2020-01-01"] {
            let deadline = try #require(WrittenDeadline(text))
            #expect(deadline.date(after: now) == nil, "\(text)")
        }
        #expect(WrittenDeadline("2026-09-21T14:13:21Z")?.date(after: now) != nil)
    }

    @Test(
        "other texts are refused",
        arguments: [
            "", "30", "d", "-1d", "+1d", "1.5h", "30 d", "30D", "30y", "365001d", "tomorrow", "2026-13-01",
        ])
    func refused(text: String) { #expect(WrittenDeadline(text) == nil) }
}

import CaretWire
import Testing

@Suite("Times in messages") struct UTCTimeTests {
    @Test(
        "a time is written as a date and a time of day, in UTC",
        arguments: [
            (0, "1970-01-01 00:00:00 UTC"), (999, "1970-01-01 00:00:00 UTC"),
            (951_782_400_000, "2000-02-29 00:00:00 UTC"), (1_790_000_000_123, "2026-09-21 14:13:20 UTC"),
            (1_798_761_599_999, "2026-12-31 23:59:59 UTC"), (1_798_761_600_000, "2027-01-01 00:00:00 UTC"),
            (253_402_300_800_000, "10000-01-01 00:00:00 UTC"),
        ] as [(Int64, String)])
    func written(time: Int64, text: String) { #expect(UTCTime(milliseconds: time).description == text) }

    @Test("even the largest time of the protocol can be written")
    func largest() { #expect(UTCTime(milliseconds: Int64(Limits.integer)).year == 287_396) }
}

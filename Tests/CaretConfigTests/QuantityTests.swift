import CaretConfig
import Testing

@Suite("Sizes and times in the configuration") struct QuantityTests {
    @Test(
        "a size without a unit is in bytes",
        arguments: [
            ("0", 0), ("25 MiB", 25 << 20), ("25MiB", 25 << 20), ("64 KiB", 64 << 10), ("1 GiB", 1 << 30),
            ("7 B", 7),
            ("2 KB", 2_000), ("2 kB", 2_000), ("3 MB", 3_000_000), ("1 GB", 1_000_000_000),
            ("999999999999999", 999_999_999_999_999),
        ])
    func sizes(text: String, bytes: Int) { #expect(SizeText.read(text) == bytes) }

    @Test(
        "an invalid size is refused",
        arguments: [
            "", " ", "MiB", "25 mib", "25  MiB", " 25", "25 ", "1.5 MiB", "-1", "+1", "1e3", "0x10",
            "25 MiB ",
            "1000000000000000", "999999999999999 GiB", "٣", "２５ MiB", "25 M\u{130}B", "1_000",
        ])
    func noSizes(text: String) { #expect(SizeText.read(text) == nil) }

    @Test(
        "a time without a unit is in the unit of its key",
        arguments: [
            ("30 s", 30), ("30", 30), ("2min", 120), ("1 h", 3_600), ("90 days", 7_776_000),
            ("1 day", 86_400),
            ("2 d", 172_800), ("3000 ms", 3),
        ])
    func times(text: String, seconds: Int) {
        #expect(TimeText.read(text, in: .seconds, plain: .seconds) == seconds)
    }

    @Test("if a key counts days, 2 means 2 days, even if it is stored in seconds")
    func plainUnit() {
        #expect(TimeText.read("2", in: .seconds, plain: .days) == 172_800)
        #expect(TimeText.read("2 s", in: .seconds, plain: .days) == 2)
    }

    @Test(
        "a time with an unknown unit or a fraction of a second is refused",
        arguments: ["1500 ms", "1 S", "s", "1 M"])
    func noTimes(text: String) {
        #expect(TimeText.read(text, in: .seconds, plain: .seconds) == nil)
    }

    @Test("a quantity is written in its largest unit, and can be read again")
    func written() {
        let sizes = [
            0: "0 B", 1023: "1023 B", 1024: "1 KiB", 1536: "1536 B", 3 << 20: "3 MiB", 5 << 30: "5 GiB",
            2_000: "2000 B", 3_000_000: "3000000 B", 1_000_000_000: "1000000000 B",
        ]
        for (bytes, text) in sizes {
            #expect(SizeText.written(bytes) == text)
            #expect(SizeText.read(text) == bytes)
        }
        let times = [
            0: "0 s", 1: "1 s", 90: "90 s", 120: "2 min", 86_400: "1 day", 172_800: "2 days", 3_600: "1 h",
        ]
        for (seconds, text) in times {
            #expect(TimeText.written(seconds, .seconds) == text)
            #expect(TimeText.read(text, in: .seconds, plain: .days) == seconds)
        }
    }
}

import CaretWeb
import Foundation
import TestSupport
import Testing

@Suite("Dates of responses") struct HTTPDateTests {
    @Test("dates equal those of Foundation, also at the ends of months")
    func dates() {
        let formatter = DateFormatter()
        formatter.locale = Locale(identifier: "en_US_POSIX")
        formatter.timeZone = TimeZone(identifier: "GMT")
        formatter.dateFormat = "EEE, dd MMM yyyy HH:mm:ss 'GMT'"
        var random = Seeded(5)
        let months = (0..<2_000).flatMap { month in
            let (year, month) = (1970 + month / 12, month % 12 + 1)
            let parts = DateComponents(
                calendar: Calendar(identifier: .gregorian), timeZone: formatter.timeZone, year: year,
                month: month)
            let first = Int64(parts.date?.timeIntervalSince1970 ?? 0)
            return [first, first - 1].filter { $0 >= 0 }
        }
        for second in months + (0..<2_000).map({ _ in Int64(random.number(0...8_000_000_000)) }) {
            let date = Date(timeIntervalSince1970: Double(second))
            #expect(HTTPDate.text(of: second * 1_000 + 999) == formatter.string(from: date))
        }
    }
}

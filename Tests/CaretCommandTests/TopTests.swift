import CaretClient
import CaretCommand
import CaretWire
import Foundation
import Testing

@Suite("The page of `caret top` on a terminal") struct TopTests {
    private func counters(_ pushes: Int, since: Int = 0) -> ServerCounters {
        ServerCounters(
            CounterValues(
                since: since,
                counters: [
                    .init(name: "connections", value: 3), .init(name: "pushes", value: pushes),
                    .init(name: "refused_exists", value: 0), .init(name: "refused_damaged", value: 1),
                ],
                latencies: [
                    .init(
                        name: "ack", count: 120, median: 1_940_000, percentile99: 4_700_000,
                        largest: 9_100_000)
                ]))
    }

    private func reading(_ pushes: Int, at seconds: Double, since: Int = 0, after last: TopReading? = nil)
        -> TopReading
    {
        TopReading(
            counters(pushes, since: since), at: Date(timeIntervalSince1970: seconds), after: last)
    }

    @Test("rates are averages since the previous reading or the server's start")
    func rates() {
        let first = reading(100, at: 50)
        #expect(first.counters.counters.map(first.rate) == [nil, 20, 0, 0])
        let second = reading(103, at: 52, after: first)
        #expect(second.counters.counters.map(second.rate) == [nil, 15, 0, 0])
        #expect(second.plain == "1970-01-01T00:00:52.000Z\t3\t\t1.5\t\t\t\t\t\t1.9\t4.7")
        let restarted = reading(4, at: 54, since: 53_000, after: second)
        #expect(restarted.counters.counters.map(restarted.rate) == [nil, 40, 0, 10])
    }

    @Test(
        "the uptime is shown in its two largest units",
        arguments: [
            (0, "0 s"), (1, "1 s"), (60, "1 min 0 s"), (3_599, "59 min 59 s"), (3_600, "1 h 0 min"),
            (90_061, "1 d 1 h"),
        ])
    func uptime(seconds: Int, words: String) {
        let page = TopPage(address: "here", reading: reading(1, at: Double(seconds)), style: .plain)
        #expect(page.rows(.init(rows: 1, columns: 60))[0].hasPrefix("up \(words)   "))
    }

    @Test("if the server does not answer, the first row says so")
    func notConnected() {
        // The server's clock is ahead, so the server seems to have started after this reading.
        let early = reading(1, at: 0, since: 5_000)
        let page = TopPage(address: "here", reading: early, isConnected: false, style: .plain)
        let rows = page.rows(.init(rows: 3, columns: 80))
        #expect(rows[0].hasPrefix("up 0 s   "))
        #expect(rows[0].hasSuffix("   (not connected)   q ends   here"))
        #expect(rows[1] == "" && rows[2].hasPrefix("LATENCY, ms"))
    }

    @Test("`top` lists all counters, except counters of refusals that are 0")
    func page() {
        let page = TopPage(address: "here", reading: reading(100, at: 93_784), style: .plain)
        let rows = page.rows(.init(rows: 24, columns: 60))
        #expect(rows[0].hasPrefix("up 1 d 2 h   1970-01-0") && rows[0].hasSuffix("   q ends   here"))
        #expect(
            Array(rows[1...]) == [
                "", "LATENCY, ms  COUNT  MEDIAN  P99  MAX", "ack            120     1.9  4.7  9.1", "",
                "COUNTER          TOTAL  PER SECOND", "connections          3",
                "pushes             100         0.0", "refused_damaged      1         0.0",
            ])
        #expect(page.rows(.init(rows: 3, columns: 12)).allSatisfy { $0.count <= 12 })
        #expect(page.rows(.init(rows: 3, columns: 12)).count == 3)
    }
}

import CaretConfig
import CaretWire
import Foundation
import Testing

@Suite("Counters") struct CounterTests {
    @Test("every counter, refusal and latency is counted separately")
    func slots() {
        let tally = CounterBoard().tally()
        for (index, counter) in Counter.allCases.enumerated() { tally.add(index + 1, to: counter) }
        for (index, code) in ErrorCode.allCases.enumerated() {
            for _ in 0...index { tally.refused(code) }
        }
        for (index, latency) in Latency.allCases.enumerated() {
            for _ in 0...index { tally.took(.max - UInt64(index), latency) }
        }
        let counts = tally.sheet.counts
        for (index, counter) in Counter.allCases.enumerated() {
            #expect(counts[counter] == UInt64(index + 1))
        }
        for (index, code) in ErrorCode.allCases.enumerated() { #expect(counts[code] == UInt64(index + 1)) }
        for (index, latency) in Latency.allCases.enumerated() {
            #expect(counts[latency].count == UInt64(index + 1))
            #expect(counts[latency].largest == .max - UInt64(index))
        }
    }

    @Test("local counters count latencies like a histogram")
    func latencies() {
        let tally = CounterBoard().tally()
        var histogram = Histogram()
        for number in (0..<10_000).map({ UInt64($0 * $0) }) {
            tally.took(number, .commit)
            histogram.add(number)
        }
        #expect(tally.sheet.counts[.commit] == histogram)
        #expect(tally.sheet.counts[.ack] == Histogram())
    }

    /// Rule A7.
    @Test("a board sums the counters of several threads while they count")
    func board() async {
        let board = CounterBoard()
        let (owners, each) = (4, 20_000)
        await withTaskGroup { group in
            for _ in 0..<owners {
                let tally = board.tally()
                let box = Owner(tally)
                group.addTask { await box.count(each) }
            }
            var last: UInt64 = 0
            for _ in 0..<50 {
                let now = board.counts[.pushes]
                #expect(now >= last)
                last = now
                await Task.yield()
            }
        }
        let counts = board.counts
        #expect(counts[.pushes] == UInt64(owners * each) && counts[.bytesIn] == UInt64(owners * each * 100))
        #expect(counts[.ack].count == UInt64(owners * each) && counts[.badRange] == UInt64(owners * each))
    }

    private actor Owner {
        private let tally: LocalCounters

        init(_ tally: sending LocalCounters) { self.tally = tally }

        func count(_ times: Int) {
            for index in 0..<times {
                tally.add(to: .pushes)
                tally.add(100, to: .bytesIn)
                tally.refused(.badRange)
                tally.took(UInt64(index), .ack)
            }
        }
    }

    /// Rule A7.
    @Test("the count of connections is right if two threads count open and close")
    func present() {
        let board = CounterBoard()
        let (one, other) = (board.tally(), board.tally())
        one.add(3, to: .connectionsOpened)
        other.add(2, to: .connectionsClosed)
        #expect(board.counts.connections == 1 && board.counts.openRooms == 0)
        other.add(2, to: .connectionsClosed)
        #expect(board.counts.connections == 0)
    }

    @Test("`rows` has every number, with distinct lowercase names")
    func rows() {
        let rows = CounterBoard().counts.rows
        let names = rows.map(\.name) + Latency.allCases.map(\.name)
        #expect(Set(names).count == names.count)
        #expect(names.allSatisfy { $0.utf8.allSatisfy { (0x61...0x7A).contains($0) || $0 == 0x5F } })
        #expect(rows.count == 2 + Counter.allCases.count + ErrorCode.allCases.count)
    }
}

import CaretConfig
import CaretWire
import Foundation
import Testing

@Suite("Counters of the server") struct CounterTests {
    @Test("every counter, refusal and latency is counted separately")
    func slots() {
        let local = CounterBoard().makeCounters()
        for (index, counter) in Counter.allCases.enumerated() { local.add(index + 1, to: counter) }
        for (index, code) in ErrorCode.allCases.enumerated() {
            for _ in 0...index { local.countRefusal(code) }
        }
        for (index, latency) in Latency.allCases.enumerated() {
            for _ in 0...index { local.record(.max - UInt64(index), as: latency) }
        }
        let counts = local.slots.counts
        for (index, counter) in Counter.allCases.enumerated() {
            #expect(counts[counter] == UInt64(index + 1))
        }
        for (index, code) in ErrorCode.allCases.enumerated() { #expect(counts[code] == UInt64(index + 1)) }
        for (index, latency) in Latency.allCases.enumerated() {
            #expect(counts[latency].count == UInt64(index + 1))
            #expect(counts[latency].largest == .max - UInt64(index))
        }
    }

    @Test("the counters of one thread record latencies like a histogram")
    func latencies() {
        let local = CounterBoard().makeCounters()
        var histogram = Histogram()
        for number in (0..<10_000).map({ UInt64($0 * $0) }) {
            local.record(number, as: .commit)
            histogram.add(number)
        }
        local.record(7, as: .commit, times: 3)
        for _ in 0..<3 { histogram.add(7) }
        #expect(local.slots.counts[.commit] == histogram)
        #expect(local.slots.counts[.ack] == Histogram())
    }

    /// Rule A7.
    @Test("a counter board returns the sum of all threads' counters at any time")
    func board() async {
        let board = CounterBoard()
        let (owners, each) = (4, 20_000)
        await withTaskGroup { group in
            for _ in 0..<owners {
                let local = board.makeCounters()
                let box = Owner(local)
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
        private let local: LocalCounters

        init(_ local: sending LocalCounters) { self.local = local }

        func count(_ times: Int) {
            for index in 0..<times {
                local.add(to: .pushes)
                local.add(100, to: .bytesIn)
                local.countRefusal(.badRange)
                local.record(UInt64(index), as: .ack)
            }
        }
    }

    /// Rule A7.
    @Test("the connection count is right if one thread opens and another closes")
    func present() {
        let board = CounterBoard()
        let (one, other) = (board.makeCounters(), board.makeCounters())
        one.add(3, to: .connectionsOpened)
        other.add(2, to: .connectionsClosed)
        #expect(board.counts.connections == 1 && board.counts.openRooms == 0)
        other.add(2, to: .connectionsClosed)
        #expect(board.counts.connections == 0)
        one.add(5, to: .roomsOpened)
        other.add(2, to: .roomsClosed)
        #expect(board.counts.openRooms == 3)
    }

    @Test("`rows` has every counter, each with its own lowercase name")
    func rows() {
        let rows = CounterBoard().counts.rows
        let names = rows.map(\.name) + Latency.allCases.map(\.name)
        #expect(Set(names).count == names.count)
        #expect(names.allSatisfy { $0.utf8.allSatisfy { (0x61...0x7A).contains($0) || $0 == 0x5F } })
        #expect(rows.count == 4 + Counter.allCases.count + ErrorCode.allCases.count)
    }

    @Test("`rows` has the value of each counter")
    func values() {
        let local = CounterBoard().makeCounters()
        local.add(5, to: .connectionsOpened)
        local.add(3, to: .connectionsClosed)
        local.add(4, to: .roomsOpened)
        local.countRefusal(.badRange, times: 6)
        var counts = local.slots.counts
        counts.unsentAge = 7
        let counted = counts.rows.filter { $0.value > 0 }.map { "\($0.name)=\($0.value)" }
        #expect(
            counted == [
                "connections=2", "open_rooms=4", "news_age_ms=7", "connections_opened=5",
                "connections_closed=3", "rooms_opened=4", "refused_bad_range=6",
            ])
    }
}

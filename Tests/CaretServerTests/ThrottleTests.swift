import CaretServer
import Testing

@Suite("Throttle") struct ThrottleTests {
    @Test("a throttled action happens once per pause, and first after a pause")
    func pauses() {
        let clock = HandClock()
        let throttle = Throttle(pause: 1_000_000_000, now: { clock.now })
        var due: [Int] = []
        for step in 0..<40 {
            if throttle.isDue() { due.append(step) }
            clock.advance(milliseconds: 100)
        }
        #expect(due == [10, 20, 30])
    }
}

import CaretServer
import Testing

@Suite("An action that happens at a limited rate") struct ThrottleTests {
    @Test("an action is due once per pause, and not before the first pause ends")
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

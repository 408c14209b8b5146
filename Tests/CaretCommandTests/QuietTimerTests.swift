import CaretCommand
import Testing

@Suite("How long a file has been unchanged") struct QuietTimerTests {
    @Test("each change of a file restarts the timer at 0")
    func quiet() {
        var timer = QuietTimer(1, at: 100)
        #expect(timer.quiet(with: 1, at: 150) == 50)
        #expect(timer.quiet(with: 2, at: 200) == 0)
        #expect(timer.quiet(with: 2, at: 270) == 70)
        #expect(timer.quiet(with: 1, at: 300) == 0)
        #expect(timer.quiet(with: 1, at: 310) == 10)
    }
}

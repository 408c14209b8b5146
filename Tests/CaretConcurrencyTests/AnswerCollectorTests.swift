import CaretConcurrency
import Foundation
import Synchronization
import Testing

@Suite("Collecting the answers of several calls") struct AnswerCollectorTests {
    @Test("once all answers are in, they are passed on in the order of the calls")
    func order() {
        let completed = Mutex<[[Int]]>([])
        let collector = AnswerCollector<Int>(3) { answers in completed.withLock { $0.append(answers) } }
        collector.set(2, 30)
        collector.set(0, 10)
        #expect(completed.withLock { $0 }.isEmpty)
        collector.set(1, 20)
        #expect(completed.withLock { $0 } == [[10, 20, 30]])
    }

    @Test("collecting takes time linear in the number of answers")
    func time() {
        var (few, many) = (UInt64.max, UInt64.max)
        for _ in 0..<3 { (few, many) = (min(few, time(of: 1000)), min(many, time(of: 16_000))) }
        // The second run has 16 times as many answers. With quadratic time it would take 256 times as long.
        #expect(many < 64 * few, "\(few) and \(many)")
    }

    /// The processor time of this thread in nanoseconds. Other load on the machine does not change it.
    private func time(of count: Int) -> UInt64 {
        let collector = AnswerCollector<Int>(count) { _ in }
        let began = spent()
        for index in 0..<count { collector.set(index, index) }
        return spent() - began
    }

    private func spent() -> UInt64 {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
    }
}

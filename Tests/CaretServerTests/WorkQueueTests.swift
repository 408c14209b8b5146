import CaretServer
import Dispatch
import Testing

@Suite("The alarm of a job queue") struct WorkQueueTests {
    @Test("an alarm fires at the time that was set last, and not earlier")
    func alarm() async throws {
        let queue: any WorkQueue = DispatchQueue(label: "alarm")
        let passed = Events<Moment>()
        let alarm = queue.makeAlarm { passed.record(.now) }
        let moment = Moment.now.after(milliseconds: 100)
        alarm.set(for: moment.after(seconds: 1_000))
        alarm.set(for: nil)
        alarm.set(for: moment)
        let first = try #require(await passed.next())
        #expect(first >= moment)
        alarm.cancel()
    }
}

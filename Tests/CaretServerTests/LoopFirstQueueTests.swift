import CaretServer
@preconcurrency import Dispatch
import Synchronization
import TestSupport
import Testing

@Suite("Queues whose cheap jobs run on an event loop")
struct LoopFirstQueueTests {
    /// Records each job, and the executor that ran it.
    private final class Writer: LoopFirstWorker {
        struct Done: Equatable {
            let job: Int
            let place: String
        }

        let events: Events<Done>
        let onJob: @Sendable (Int) -> Void
        /// After job 50, the loop must add job 51 at this time.
        let wakeTime = Moment.now.after(milliseconds: 2)
        private(set) var loopWake: (moment: Moment, job: Int)?

        init(_ events: Events<Done>, _ onJob: @escaping @Sendable (Int) -> Void = { _ in }) {
            self.events = events
            self.onJob = onJob
        }

        /// Jobs with a number above 100 are expensive.
        func areExpensive(_ jobs: [Int]) -> Bool { jobs.contains { $0 > 100 } }

        func run(_ jobs: [Int]) {
            for job in jobs {
                events.record(
                    Done(
                        job: job, place: DispatchQueue.getSpecific(key: LoopFirstQueueTests.name) ?? "a loop")
                )
                onJob(job)
                loopWake = job == 50 ? (wakeTime, 51) : nil
            }
        }
    }

    /// The key for the name of the queue that runs the current code. Code on a loop finds no value.
    private static let name = DispatchSpecificKey<String>()

    private let dispatchQueue = DispatchQueue(label: "queue")
    private let queue: LoopFirstQueue<Writer>
    private let events = Events<Writer.Done>()

    init() {
        dispatchQueue.setSpecific(key: LoopFirstQueueTests.name, value: "the queue")
        queue = LoopFirstQueue(dispatchQueue)
    }

    private func closed<Worker>(_ queue: LoopFirstQueue<Worker>) async {
        await withCheckedContinuation { done in queue.close { done.resume() } }
    }

    @Test("a loop runs cheap jobs at once, and the queue runs expensive jobs")
    func bringing() async throws {
        let loop = try Loop(LoopNumber(0))
        let isDone = Atomic(false)
        queue.start(Writer(events) { _ in isDone.store(true, ordering: .relaxed) }, on: [loop])
        let wasDone = await loop.result { [queue] _ in
            queue.enqueueOnCurrentLoop([1, 2], index: 0)
            return isDone.load(ordering: .relaxed)
        }
        #expect(wasDone == true)
        _ = await loop.result { [queue] _ in
            queue.enqueueOnCurrentLoop([3, 101], index: 0)
            queue.enqueueOnCurrentLoop([4], index: 0)
        }
        for (job, place) in [(1, "a loop"), (2, "a loop"), (3, "the queue"), (101, "the queue")] {
            #expect(await events.next() == Writer.Done(job: job, place: place))
        }
        // Job 4 runs on the queue, or on the loop if the queue has finished its drain. So the test does not
        // check where job 4 runs.
        #expect(await events.next()?.job == 4)
        await loop.stop()
        await closed(queue)
    }

    @Test(
        "jobs that are added while a loop runs jobs wait for its next turn"
    )
    func held() async throws {
        let loop = try Loop(LoopNumber(0))
        let done = Mutex<[Int]>([])
        queue.start(
            Writer(events) { [queue] job in
                done.withLock { $0.append(job) }
                if job < 3 { queue.enqueue(job + 1) }
            }, on: [loop])
        let first = await loop.result { [queue] _ in
            queue.enqueueOnCurrentLoop([1], index: 0)
            return done.withLock { $0 }
        }
        #expect(first == [1])
        for job in 1...3 {
            #expect(await events.next() == Writer.Done(job: job, place: "a loop"))
        }
        await loop.stop()
        await closed(queue)
    }

    @Test(
        "an answer runs on the loop that last added a job, else on the queue")
    func answers() async throws {
        let loops = try (0..<2).map { try Loop(LoopNumber($0)) }
        queue.start(Writer(events), on: loops)
        _ = await loops[1].result { [queue] _ in queue.enqueueOnCurrentLoop([1], index: 1) }
        #expect(await events.next() == Writer.Done(job: 1, place: "a loop"))
        queue.enqueueOnLastLoop(2)
        #expect(await events.next() == Writer.Done(job: 2, place: "a loop"))
        for loop in loops { await loop.stop() }
        queue.enqueueOnLastLoop(3)
        #expect(await events.next() == Writer.Done(job: 3, place: "the queue"))
        queue.enqueue(4)
        #expect(await events.next() == Writer.Done(job: 4, place: "the queue"))
        await closed(queue)
        queue.enqueue(5)
    }

    @Test("the queue runs the answer to an expensive job")
    func expensiveAnswers() async throws {
        let loop = try Loop(LoopNumber(0))
        queue.start(Writer(events), on: [loop])
        _ = await loop.result { [queue] _ in queue.enqueueOnCurrentLoop([101], index: 0) }
        #expect(await events.next() == Writer.Done(job: 101, place: "the queue"))
        queue.enqueueOnLastLoop(1)
        #expect(await events.next() == Writer.Done(job: 1, place: "the queue"))
        await loop.stop()
        await closed(queue)
    }

    @Test("`enqueueExpensive` runs a job on the queue without checking it")
    func knownToBeExpensive() async throws {
        let loop = try Loop(LoopNumber(0))
        queue.start(Writer(events), on: [loop])
        _ = await loop.result { [queue] _ in queue.enqueueOnCurrentLoop([1], index: 0) }
        #expect(await events.next() == Writer.Done(job: 1, place: "a loop"))
        // The number of the job is below 100. So a loop that checked the job would run it.
        queue.enqueueExpensive(2)
        #expect(await events.next() == Writer.Done(job: 2, place: "the queue"))
        queue.enqueueOnLastLoop(3)
        #expect(await events.next() == Writer.Done(job: 3, place: "the queue"))
        await loop.stop()
        await closed(queue)
    }

    @Test("a loop adds the worker's next job at the time that the worker names")
    func loopWake() async throws {
        let loop = try Loop(LoopNumber(0))
        let writer = Writer(events)
        let time = writer.wakeTime
        queue.start(writer, on: [loop])
        _ = await loop.result { [queue] _ in queue.enqueueOnCurrentLoop([50], index: 0) }
        #expect(await events.next() == Writer.Done(job: 50, place: "a loop"))
        #expect(await events.next() == Writer.Done(job: 51, place: "a loop"))
        #expect(Moment.now >= time)
        await loop.stop()
        await closed(queue)
    }

    @Test("without a loop, the queue runs the worker's next job at once")
    func wakeWithoutLoop() async throws {
        queue.start(Writer(events), on: [])
        queue.enqueue(50)
        #expect(await events.next() == Writer.Done(job: 50, place: "the queue"))
        #expect(await events.next() == Writer.Done(job: 51, place: "the queue"))
        await closed(queue)
    }

    @Test("a job that is added after `close` is not kept in memory")
    func behindTheEnd() async throws {
        final class Cargo: Sendable {}
        final class Idler: LoopFirstWorker {
            func areExpensive(_ jobs: [Cargo]) -> Bool { false }
            func run(_ jobs: [Cargo]) {}
            var loopWake: (moment: Moment, job: Cargo)? { nil }
        }
        let inbox = Inbox<Idler>(DispatchQueue(label: "inbox"))
        let queue = LoopFirstQueue<Idler>(DispatchQueue(label: "queue"))
        inbox.start(Idler())
        queue.start(Idler(), on: [])
        await withCheckedContinuation { done in inbox.close { done.resume() } }
        await closed(queue)
        let ways: [(Cargo) -> Void] = [
            { inbox.enqueue($0) }, { inbox.enqueue([$0]) }, queue.enqueue, queue.enqueueExpensive,
            queue.enqueueOnLastLoop,
            { queue.enqueueOnCurrentLoop([$0], index: 0) },
        ]
        for post in ways {
            weak var cargo: Cargo?
            do {
                let posted = Cargo()
                cargo = posted
                post(posted)
            }
            #expect(cargo == nil)
        }
    }

    @Test("every job runs once, and jobs of a sender run in order")
    func order() async throws {
        let loops = try (0..<2).map { try Loop(LoopNumber($0)) }
        let counts = Shared([Int](repeating: 0, count: 4))
        let isBusy = Atomic(false)
        let (ended, end) = AsyncStream<Void>.makeStream()
        let each = 3_000
        queue.start(
            Writer(Events()) { job in
                let wasBusy = isBusy.exchange(true, ordering: .acquiring)
                #expect(!wasBusy)
                let (poster, number) = (job & 3, job >> 2)
                counts.change { counts in
                    #expect(counts[poster] == -number)
                    counts[poster] += 1
                    if counts.allSatisfy({ $0 == each }) { end.finish() }
                }
                isBusy.store(false, ordering: .releasing)
            }, on: loops)
        await withTaskGroup { group in
            for poster in 0..<4 {
                group.addTask { [queue] in
                    for number in 0..<each {
                        // The numbers are negative, so that no job is expensive.
                        let job = -number << 2 | poster
                        switch poster {
                        case 0, 1:
                            loops[poster].post { _ in queue.enqueueOnCurrentLoop([job], index: poster) }
                        case 2: queue.enqueue(job)
                        default: queue.enqueueOnLastLoop(job)
                        }
                    }
                }
            }
        }
        for await _ in ended {}
        for loop in loops { await loop.stop() }
        await closed(queue)
    }
}

import CaretConcurrency
import Dispatch
import Synchronization
import Testing

@Suite("Queues that collect jobs until one drain runs them all")
struct CoalescingQueueTests {
    private let queue = CoalescingQueue<Int, String>()
    private let wakes = Wakes()

    private func start() { queue.start("worker") { wakes.add() } }

    @discardableResult private func enqueue(_ jobs: Int...) -> Bool { queue.enqueue(jobs) { wakes.add() } }

    @Test("the first job wakes a drain; further jobs wait for the same drain")
    func oneWake() {
        start()
        #expect(wakes.count == 0)
        for job in 1...3 { enqueue(job) }
        #expect(wakes.count == 1)
        #expect(queue.next()?.jobs == [1, 2, 3])
    }

    @Test("a drain receives its jobs together with the worker that runs them")
    func worker() {
        start()
        enqueue(1)
        #expect(queue.next()?.worker == "worker")
    }

    @Test("a running drain also gets new jobs, without a second wake")
    func duringDrain() {
        start()
        enqueue(1)
        _ = queue.next()
        enqueue(2)
        #expect(queue.next()?.jobs == [2])
        #expect(queue.next() == nil)
        #expect(wakes.count == 1)
    }

    @Test("a job that is added after the end of a drain wakes a new drain")
    func afterDrain() {
        start()
        enqueue(1)
        _ = queue.next()
        #expect(queue.next() == nil)
        enqueue(2)
        #expect(wakes.count == 2)
        #expect(queue.next()?.jobs == [2])
    }

    @Test("`endIfEmpty` does not end a drain while jobs wait")
    func endRefused() {
        start()
        enqueue(1)
        _ = queue.next()
        enqueue(2)
        #expect(!queue.endIfEmpty())
        #expect(queue.next()?.jobs == [2])
        #expect(queue.endIfEmpty())
        #expect(wakes.count == 1)
        enqueue(3)
        #expect(wakes.count == 2)
    }

    @Test("jobs that are put back run before later jobs, in their old order")
    func putBack() {
        start()
        enqueue(1, 2)
        let jobs = queue.next()?.jobs ?? []
        enqueue(3)
        queue.putBack(jobs)
        enqueue(4)
        #expect(queue.next()?.jobs == [1, 2, 3, 4])
        #expect(wakes.count == 1)
    }

    @Test("jobs wait until `start` sets the worker and wakes a drain")
    func beforeStart() {
        enqueue(1)
        #expect(wakes.count == 0)
        start()
        #expect(wakes.count == 1)
        #expect(queue.next()?.jobs == [1])
    }

    @Test("adding an empty list of jobs wakes no drain")
    func noJobs() {
        start()
        #expect(enqueue())
        #expect(wakes.count == 0)
    }

    @Test("no drain is woken between `takeAll` and a successful `endIfEmpty`")
    func selfDriven() {
        start()
        #expect(queue.takeAll() == [])
        enqueue(1)
        #expect(wakes.count == 0)
        #expect(!queue.endIfEmpty())
        #expect(queue.takeAll() == [1])
        #expect(queue.endIfEmpty())
        enqueue(2)
        #expect(wakes.count == 1)
    }

    @Test("closing a queue returns its jobs, refuses new ones and ends its drains")
    func closed() {
        start()
        enqueue(1, 2)
        #expect(queue.close() == [1, 2])
        #expect(!enqueue(3))
        #expect(queue.next() == nil)
        #expect(queue.endIfEmpty())
        queue.putBack([4])
        #expect(queue.close() == [])
        #expect(wakes.count == 1)
    }

    @Test("a closed queue releases its worker, and does not keep late jobs")
    func nothingIsKept() {
        final class Cargo: Sendable {}
        let queue = CoalescingQueue<Cargo, Cargo>()
        weak var worker: Cargo?
        weak var job: Cargo?
        do {
            let (held, late) = (Cargo(), Cargo())
            (worker, job) = (held, late)
            queue.start(held) {}
            queue.close()
            queue.enqueue(late) {}
        }
        #expect(worker == nil)
        #expect(job == nil)
    }

    @Test("a second start traps, and a drain that nobody woke traps")
    func misuse() async {
        await #expect(processExitsWith: .failure) {
            let queue = CoalescingQueue<Int, Void>()
            queue.start(()) {}
            _ = queue.next()
        }
        await #expect(processExitsWith: .failure) {
            let queue = CoalescingQueue<Int, Void>()
            queue.start(()) {}
            queue.start(()) {}
        }
    }

    @Test(
        "with many threads, each thread's jobs run once and in order"
    )
    func manyThreads() async {
        let run = Run(threads: 4, jobsEach: 5_000)
        await withTaskGroup { group in
            for thread in 0..<run.threads {
                group.addTask { run.enqueueAll(as: thread) }
            }
        }
        for await _ in run.finished {}
    }
}

/// Counts the calls of `wake`.
private final class Wakes: Sendable {
    private let number = Atomic(0)

    var count: Int { number.load(ordering: .relaxed) }

    func add() { number.add(1, ordering: .relaxed) }
}

/// Threads that enqueue jobs. A drain sometimes puts its jobs back for another executor, like the drains of
/// rooms.
private final class Run: Sendable {
    struct Job {
        let thread: Int
        let number: Int
    }

    /// The number of jobs that have run, for each thread.
    struct Worker {
        var done: [Int]
    }

    let threads: Int
    let finished: AsyncStream<Void>
    private let jobsEach: Int
    private let finish: AsyncStream<Void>.Continuation
    private let queue = CoalescingQueue<Job, Confined<Worker, Turn>>()
    private let executors = (0..<2).map { DispatchQueue(label: "executor \($0)") }

    init(threads: Int, jobsEach: Int) {
        self.threads = threads
        self.jobsEach = jobsEach
        (finished, finish) = AsyncStream.makeStream()
        queue.start(Confined(Worker(done: Array(repeating: 0, count: threads)), to: Turn())) {}
    }

    func enqueueAll(as thread: Int) {
        for number in 0..<jobsEach {
            queue.enqueue(Job(thread: thread, number: number)) { wake(executors[number % 2]) }
        }
    }

    private func wake(_ executor: DispatchQueue) { executor.async { self.drainOnce(on: executor) } }

    private func drainOnce(on executor: DispatchQueue) {
        guard let (jobs, worker) = queue.next() else { return }
        // Some jobs may run only on the first executor, as the expensive jobs of a room may run only on its
        // queue.
        if executor !== executors[0], jobs.contains(where: { $0.number.isMultiple(of: 7) }) {
            queue.putBack(jobs)
            return wake(executors[0])
        }
        worker.home.run { worker.update { perform(jobs, &$0) } }
        if !queue.endIfEmpty() { wake(executor) }
    }

    private func perform(_ jobs: [Job], _ worker: inout Worker) {
        for job in jobs {
            #expect(worker.done[job.thread] == job.number)
            worker.done[job.thread] += 1
        }
        if worker.done.allSatisfy({ $0 == jobsEach }) { finish.finish() }
    }
}

@preconcurrency import Dispatch
import Synchronization
import Testing

@testable import CaretServer

@Suite("What is done in turns", .timeLimit(.minutes(2)))
struct TurnsTests {
    /// Writes down what it does, and where.
    private final class Writer: TurnWorker {
        struct Done: Equatable {
            let job: Int
            let place: String
        }

        let events: Events<Done>
        let onJob: @Sendable (Int) -> Void

        init(_ events: Events<Done>, _ onJob: @escaping @Sendable (Int) -> Void = { _ in }) {
            self.events = events
            self.onJob = onJob
        }

        /// Those beyond a hundred.
        func areDear(_ jobs: [Int]) -> Bool { jobs.contains { $0 > 100 } }

        func run(_ jobs: [Int]) {
            for job in jobs {
                events.tell(
                    Done(job: job, place: DispatchQueue.getSpecific(key: TurnsTests.name) ?? "a loop"))
                onJob(job)
            }
        }
    }

    /// What a queue that is asked says: those of loops say nothing.
    private static let name = DispatchSpecificKey<String>()

    private let turns = Turns<Writer>("turns")
    private let events = Events<Writer.Done>()

    init() { turns.queue.setSpecific(key: TurnsTests.name, value: "turns") }

    @Test(
        "what a loop brings it does at once, unless that is dear: then the queue does it, and what comes behind it"
    )
    func bringing() async throws {
        let loop = try Loop(LoopNumber(0))
        let isDone = Atomic(false)
        turns.begin(Writer(events) { _ in isDone.store(true, ordering: .relaxed) }, on: [loop])
        let wasDone = await loop.asked { [turns] _ in
            turns.bring([1, 2], from: 0)
            return isDone.load(ordering: .relaxed)
        }
        #expect(wasDone == true)
        _ = await loop.asked { [turns] _ in
            turns.bring([3, 101], from: 0)
            turns.bring([4], from: 0)
        }
        for (job, place) in [(1, "a loop"), (2, "a loop"), (3, "turns"), (101, "turns")] {
            #expect(await events.next() == Writer.Done(job: job, place: place))
        }
        // By the queue, or by the loop where the queue was faster than it.
        #expect(await events.next()?.job == 4)
        await loop.stopped()
        await turns.ended()
    }

    @Test(
        "what comes while a loop is at work waits for its next turn, so that its connections are served in between"
    )
    func held() async throws {
        let loop = try Loop(LoopNumber(0))
        let done = Mutex<[Int]>([])
        turns.begin(
            Writer(events) { [turns] job in
                done.withLock { $0.append(job) }
                if job < 3 { turns.post(job + 1) }
            }, on: [loop])
        let first = await loop.asked { [turns] _ in
            turns.bring([1], from: 0)
            return done.withLock { $0 }
        }
        #expect(first == [1])
        for job in 1...3 {
            #expect(await events.next() == Writer.Done(job: job, place: "a loop"))
        }
        await loop.stopped()
        await turns.ended()
    }

    @Test(
        "an answer is taken by the loop that brought something last, and by the queue once that has stopped")
    func answers() async throws {
        let loops = try (0..<2).map { try Loop(LoopNumber($0)) }
        turns.begin(Writer(events), on: loops)
        _ = await loops[1].asked { [turns] _ in turns.bring([1], from: 1) }
        #expect(await events.next() == Writer.Done(job: 1, place: "a loop"))
        turns.postToLoop(2)
        #expect(await events.next() == Writer.Done(job: 2, place: "a loop"))
        for loop in loops { await loop.stopped() }
        turns.postToLoop(3)
        #expect(await events.next() == Writer.Done(job: 3, place: "turns"))
        turns.post(4)
        #expect(await events.next() == Writer.Done(job: 4, place: "turns"))
        await turns.ended()
        turns.post(5)
    }

    @Test("an answer to what was dear is taken by the queue")
    func dearAnswers() async throws {
        let loop = try Loop(LoopNumber(0))
        turns.begin(Writer(events), on: [loop])
        _ = await loop.asked { [turns] _ in turns.bring([101], from: 0) }
        #expect(await events.next() == Writer.Done(job: 101, place: "turns"))
        turns.postToLoop(1)
        #expect(await events.next() == Writer.Done(job: 1, place: "turns"))
        await loop.stopped()
        await turns.ended()
    }

    @Test("what comes behind the end is let go of, whichever way it comes")
    func behindTheEnd() async throws {
        final class Cargo: Sendable {}
        final class Idler: TurnWorker {
            func areDear(_ jobs: [Cargo]) -> Bool { false }
            func run(_ jobs: [Cargo]) {}
        }
        let (inbox, turns) = (Inbox<Cargo>("inbox"), Turns<Idler>("turns"))
        inbox.begin { _ in }
        turns.begin(Idler(), on: [])
        await inbox.ended()
        await turns.ended()
        let ways: [(Cargo) -> Void] = [
            inbox.post, { inbox.post([$0]) }, turns.post, turns.postToLoop, { turns.bring([$0], from: 0) },
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

    @Test("whoever brings it, every job is done once, one at a time, and in the order of whoever brought it")
    func order() async throws {
        let loops = try (0..<2).map { try Loop(LoopNumber($0)) }
        let counts = Shared([Int](repeating: 0, count: 4))
        let isBusy = Atomic(false)
        let (ended, end) = AsyncStream<Void>.makeStream()
        let each = 3_000
        turns.begin(
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
                group.addTask { [turns] in
                    for number in 0..<each {
                        // Below zero, so that none is dear.
                        let job = -number << 2 | poster
                        switch poster {
                        case 0, 1: loops[poster].post { _ in turns.bring([job], from: poster) }
                        case 2: turns.post(job)
                        default: turns.postToLoop(job)
                        }
                    }
                }
            }
        }
        for await _ in ended {}
        for loop in loops { await loop.stopped() }
        await turns.ended()
    }
}

import CaretCore
import CaretLog
import CaretRooms
import CaretServer
import CaretWire
import Glibc
import Synchronization
import TestSupport
import Testing

/// The law of `TextCache`: a read after an ack, or after another read, never returns an older revision.
@Suite("The law of reads from memory") struct ReadLawTests {
    @Test("threads that read and write find no older revision")
    func threads() async throws {
        let race = ReadRace()
        try await race.run(rounds: Seeds.slowed(Seeds.share(of: 400_000, everyCommit: 20_000)))
        #expect(race.violation == nil)
        #expect(race.readsFromMemory > 0 && race.readsFromStore > 0)
    }

    @Test("readers and writers that interleave in any order find no older revision")
    func steps() throws {
        var fromMemory = 0
        for seed in Seeds.first(300) {
            var run = try ReadSteps(seed)
            try run.run()
            #expect(run.violation == nil, "seed \(seed)")
            fromMemory += run.readsFromMemory
        }
        #expect(fromMemory > 0)
    }

    @Test("the check finds a planted fault", arguments: ReadSteps.Fault.allCases)
    func faults(fault: ReadSteps.Fault) throws {
        let finding = try (0..<300 as Range<UInt64>).first { seed in
            var run = try ReadSteps(seed, fault)
            try run.run()
            return run.violation != nil
        }
        #expect(finding != nil)
    }
}

/// What readers and writers of one document know.
private struct ReadLaw {
    static let document = DocumentID(7)

    static let append = StoreCall.append(
        Append(
            document: document, epoch: Epoch(generation: 1, document: 1), expected: Revision(0), changes: []))

    static func violation(reading revision: Int, knowing least: Int) -> String? {
        revision < least ? "revision \(revision) was read after revision \(least) was known" : nil
    }
}

// MARK: Steps

/// Two writers and two readers of one document. A seed decides whose step is next.
struct ReadSteps {
    /// A deliberate fault, which the check must find.
    enum Fault: CaseIterable {
        /// The store does not report its writes.
        case unwatchedWrites
        /// The end of a write is reported before the store has done it.
        case reportedTooEarly
        /// The time of a read is taken after the read.
        case timeTakenTooLate
    }

    private enum Reader {
        case idle
        case begun(least: Int)
        case missed(least: Int, time: StoreTime)
        case read(least: Int, time: StoreTime, revision: Int)
    }

    private let fault: Fault?
    private let cache = TextCache(limit: 1 << 20)
    private let name: DocumentName
    private let store = SteppedStore()
    private let writers: [any DocumentStore]
    private var readers = [Reader.idle, .idle]
    private var random: Seeded
    private(set) var violation: String?
    private(set) var readsFromMemory = 0

    init(_ seed: UInt64, _ fault: Fault? = nil) throws {
        self.fault = fault
        random = Seeded(seed)
        name = try DocumentName("a")
        writers = [0, 1].map { [store, cache] in
            let writer = SteppedWriter(store: store, index: $0)
            return switch fault {
            case .unwatchedWrites: writer
            case .reportedTooEarly: HastyStore(store: writer, writes: cache.writes)
            case .timeTakenTooLate, nil: WatchedStore(writer, cache.writes)
            }
        }
    }

    mutating func run() throws {
        for _ in 0..<200 where violation == nil {
            let index = random.number(0...1)
            if random.chance(30) { write(index) } else { try read(index) }
        }
    }

    /// The next step of a writer: it sends a write, the store commits it, or the writer gets the ack.
    private func write(_ index: Int) {
        if store.step(index) { return }
        writers[index].run(ReadLaw.append) { [store] answer in
            guard case .appended(.committed(let head)) = answer else { return }
            store.known.max(head.value, ordering: .relaxed)
        }
    }

    private mutating func read(_ index: Int) throws {
        switch readers[index] {
        case .idle:
            readers[index] = .begun(least: store.known.load(ordering: .relaxed))
        case .begun(let least):
            if let text = cache.text(of: name) {
                readsFromMemory += 1
                end(index, reading: text.revision.value, knowing: least)
            } else {
                readers[index] = .missed(least: least, time: cache.writes.now)
            }
        case .missed(let least, let time):
            readers[index] = .read(least: least, time: time, revision: store.head)
        case .read(let least, var time, let revision):
            if fault == .timeTakenTooLate { time = cache.writes.now }
            cache.add(
                try TextCacheTests.text("a", ReadLaw.document.value, revision: revision, asOf: time))
            end(index, reading: revision, knowing: least)
        }
    }

    private mutating func end(_ index: Int, reading revision: Int, knowing least: Int) {
        violation = ReadLaw.violation(reading: revision, knowing: least)
        store.known.max(revision, ordering: .relaxed)
        readers[index] = .idle
    }
}

/// A store that commits and acks when it is told to. Only the revision of its document matters.
private final class SteppedStore: Sendable {
    private struct Write {
        let answer: @Sendable (StoreAnswer) -> Void
        var revision: Int?
    }

    private struct State {
        var head = 0
        /// The write of each writer.
        var writes: [Int: Write] = [:]
    }

    private let state = Mutex(State())
    /// The highest revision that anybody has learned of, by an ack or by a read.
    let known = Atomic(0)

    var head: Int { state.withLock { $0.head } }

    func begin(_ index: Int, then answer: @escaping @Sendable (StoreAnswer) -> Void) {
        state.withLock { $0.writes[index] = Write(answer: answer) }
    }

    /// Commits the write of a writer, or acks it if it is committed. Returns false if there is none.
    func step(_ index: Int) -> Bool {
        var acked: Write?
        let isWriting = state.withLock { state in
            guard let write = state.writes[index] else { return false }
            if write.revision == nil {
                state.head += 1
                state.writes[index]?.revision = state.head
            } else {
                acked = write
                state.writes[index] = nil
            }
            return true
        }
        if let acked, let revision = acked.revision {
            acked.answer(.appended(.committed(head: Revision(revision))))
        }
        return isWriting
    }
}

/// The store as one of its writers calls it.
private struct SteppedWriter: DocumentStore {
    let store: SteppedStore
    let index: Int

    func run(_ call: StoreCall, then answer: @escaping @Sendable (StoreAnswer) -> Void) {
        store.begin(index, then: answer)
    }
}

/// Reports the end of each write before the write.
private struct HastyStore: DocumentStore {
    let store: SteppedWriter
    let writes: WriteClock

    func run(_ call: StoreCall, then answer: @escaping @Sendable (StoreAnswer) -> Void) {
        writes.begin(.document(ReadLaw.document))
        writes.end(.document(ReadLaw.document))
        store.run(call, then: answer)
    }
}

// MARK: Threads

/// A store with one document, of which only the revision matters.
private final class RevisionStore: DocumentStore {
    private let head = Mutex(0)

    var revision: Int { head.withLock { $0 } }

    /// Commits a revision. Other threads may run before the caller learns of it.
    func run(_ call: StoreCall, then answer: @escaping @Sendable (StoreAnswer) -> Void) {
        let revision = head.withLock {
            $0 += 1
            return $0
        }
        sched_yield()
        answer(.appended(.committed(head: Revision(revision))))
    }
}

/// Two threads that write a document, and two that read it.
private final class ReadRace: Sendable {
    private let cache = TextCache(limit: 1 << 20)
    private let store = RevisionStore()
    /// The highest revision that anybody has learned of, by an ack or by a read.
    private let known = Atomic(0)
    private let hasEnded = Atomic(false)
    private let fromMemory = Atomic(0)
    private let fromStore = Atomic(0)
    private let found = Mutex<String?>(nil)

    var violation: String? { found.withLock { $0 } }
    var readsFromMemory: Int { fromMemory.load(ordering: .relaxed) }
    var readsFromStore: Int { fromStore.load(ordering: .relaxed) }

    /// Lets each reader read this often, or until a read breaks the law.
    func run(rounds: Int) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<2 { group.addTask { try await onOwnThread { self.write() } } }
            let readers = (0..<2).map { number in
                Task { try await onOwnThread { try self.read(rounds, Seeded(UInt64(number))) } }
            }
            for reader in readers { try await reader.value }
            hasEnded.store(true, ordering: .relaxed)
            try await group.waitForAll()
        }
    }

    private func write() {
        let caller = WatchedStore(store, cache.writes)
        while !hasEnded.load(ordering: .relaxed) {
            caller.run(ReadLaw.append) { [self] answer in
                guard case .appended(.committed(let head)) = answer else { return }
                known.max(head.value, ordering: .sequentiallyConsistent)
            }
            // Readers find a text in memory only between two writes.
            for _ in 0..<20 { sched_yield() }
        }
    }

    private func read(_ rounds: Int, _ random: Seeded) throws {
        var random = random
        let name = try DocumentName("a")
        for _ in 0..<rounds where violation == nil {
            let least = known.load(ordering: .sequentiallyConsistent)
            let revision = try readMemory(name) ?? readStore(&random)
            if let violation = ReadLaw.violation(reading: revision, knowing: least) {
                found.withLock { $0 = violation }
            }
            known.max(revision, ordering: .sequentiallyConsistent)
            if random.chance(10) { sched_yield() }
        }
    }

    private func readMemory(_ name: DocumentName) -> Int? {
        guard let text = cache.text(of: name) else { return nil }
        fromMemory.add(1, ordering: .relaxed)
        return text.revision.value
    }

    private func readStore(_ random: inout Seeded) throws -> Int {
        fromStore.add(1, ordering: .relaxed)
        let time = cache.writes.now
        let revision = store.revision
        if random.chance(50) { sched_yield() }
        cache.add(try TextCacheTests.text("a", ReadLaw.document.value, revision: revision, asOf: time))
        return revision
    }
}

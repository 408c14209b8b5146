import CaretCore
import CaretLog
import CaretRooms
import CaretServer
import CaretWire
import Glibc
import Synchronization
import TestSupport
import Testing

/// The law of `TextCache`, checked with real threads: some write a document, and others read it.
@Suite("The law of reads from memory") struct ReadLawTests {
    /// A deliberate fault, which the check must find.
    enum Fault: CaseIterable {
        /// The store does not report its writes.
        case unwatchedWrites
        /// The end of a write is reported before the store has done it.
        case reportedTooEarly
        /// The time of a read is taken after the read.
        case timeTakenTooLate
    }

    @Test("a read after an ack, or after another read, never returns an older revision")
    func law() async throws {
        let race = ReadRace(nil)
        try await race.run(rounds: Seeds.slowed(Seeds.share(of: 400_000, everyCommit: 20_000)))
        #expect(race.violation == nil)
        #expect(race.readsFromMemory > 0 && race.readsFromStore > 0)
    }

    @Test("the check finds a planted fault", arguments: Fault.allCases)
    func faults(fault: Fault) async throws {
        let race = ReadRace(fault)
        try await race.run(rounds: 2_000_000)
        #expect(race.violation != nil, "\(fault)")
    }
}

/// A store with one document, of which only the revision matters.
private final class RevisionStore: StoreCaller {
    private let head = Mutex(0)

    var revision: Int { head.withLock { $0 } }

    /// Commits a revision. Other threads may run before the caller learns of it.
    func call(_ call: StoreCall, as id: CallID, then answer: @escaping @Sendable (StoreAnswer) -> Void) {
        let revision = head.withLock {
            $0 += 1
            return $0
        }
        sched_yield()
        answer(.appended(.committed(head: Revision(revision))))
    }
}

/// Reports the end of each write before the write.
private struct HastyStore: StoreCaller {
    let store: RevisionStore
    let writes: WriteClock

    func call(_ call: StoreCall, as id: CallID, then answer: @escaping @Sendable (StoreAnswer) -> Void) {
        writes.begin(.document(ReadRace.document))
        writes.end(.document(ReadRace.document))
        store.call(call, as: id, then: answer)
    }
}

/// Two threads that write a document, and two that read it.
private final class ReadRace: Sendable {
    static let document = DocumentID(7)

    private let fault: ReadLawTests.Fault?
    private let cache = TextCache(limit: 1 << 20)
    private let store = RevisionStore()
    /// The highest revision that anybody has learned of, by an ack or by a read.
    private let known = Atomic(0)
    private let hasEnded = Atomic(false)
    private let fromMemory = Atomic(0)
    private let fromStore = Atomic(0)
    private let found = Mutex<String?>(nil)

    init(_ fault: ReadLawTests.Fault?) { self.fault = fault }

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
        let caller: any StoreCaller =
            switch fault {
            case .unwatchedWrites: store
            case .reportedTooEarly: HastyStore(store: store, writes: cache.writes)
            case .timeTakenTooLate, nil: WatchedStore(store, cache.writes)
            }
        let append = Append(
            document: Self.document, epoch: Epoch(generation: 1, document: 1), expected: Revision(0),
            changes: [])
        while !hasEnded.load(ordering: .relaxed) {
            caller.call(.append(append), as: CallID(1)) { [self] answer in
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
            let revision = try cache.text(of: name)?.revision.value ?? readStore(&random)
            if revision < least {
                found.withLock { $0 = "revision \(revision) was read after revision \(least) was known" }
            }
            known.max(revision, ordering: .sequentiallyConsistent)
            fromMemory.add(1, ordering: .relaxed)
            if random.chance(10) { sched_yield() }
        }
    }

    private func readStore(_ random: inout Seeded) throws -> Int {
        fromMemory.subtract(1, ordering: .relaxed)
        fromStore.add(1, ordering: .relaxed)
        var time = cache.writes.now
        let revision = store.revision
        if random.chance(50) { sched_yield() }
        if fault == .timeTakenTooLate { time = cache.writes.now }
        cache.add(try TextCacheTests.text("a", Self.document.value, revision: revision, asOf: time))
        return revision
    }
}

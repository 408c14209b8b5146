import CaretCore
import CaretFormat
import CaretLog
import CaretPostgres
import Foundation
import TestSupport
import Testing

/// A trigger decides what becomes of each segment.
@Suite("Appends to PostgreSQL that fail, and groups of appends") struct FailedAppendTests {
    private let cluster: PostgresCluster
    private let address: String
    private let schema: String
    private let events = Shared<[PostgresEvent]>([])
    /// Holds a group before its commit.
    private let gate = WriterGate()

    init() throws {
        cluster = try PostgresCluster.shared.get()
        address = cluster.newAddress()
        schema = try #require(address.components(separatedBy: "%3D").last)
    }

    private func opened(_ node: String = "test", patience: Int32 = 10_000) throws -> PostgresStore {
        try PostgresStore(
            PostgresAddress(address), node: node, allowsUnreplicated: true, patience: patience
        ) { [events, gate] event in
            events.change { $0.append(event) }
            if case .committing = event { gate.pass() }
        }
    }

    /// Runs these statements before each new segment. They use the table `flag`, which is empty.
    private func addTrigger(_ statements: String) throws {
        try cluster.execute(
            "SET search_path = \(schema); CREATE TABLE flag (one int); "
                + "CREATE FUNCTION act() RETURNS trigger LANGUAGE plpgsql AS $$BEGIN \(statements) RETURN NEW; END$$; "
                + "CREATE TRIGGER act BEFORE INSERT ON segment FOR EACH ROW EXECUTE FUNCTION act()")
    }

    private func setFlag(_ isSet: Bool) throws {
        try cluster.execute(isSet ? "INSERT INTO \(schema).flag VALUES (1)" : "DELETE FROM \(schema).flag")
    }

    private static let fullWhileSet =
        "IF EXISTS (SELECT 1 FROM flag) THEN RAISE 'no space left' USING ERRCODE = '53100'; END IF;"
    /// Not a lock, because the store limits how long a statement waits for one.
    private static let waitUntilSet =
        "WHILE NEW.document = 1 AND NOT EXISTS (SELECT 1 FROM flag) LOOP PERFORM pg_sleep(0.01); END LOOP;"

    // MARK: A full disk

    @Test("a disk that is full twice is reported twice, and each time when it has space again")
    func fullTwice() async throws {
        let store = try opened()
        var document = try await TrackedDocument(on: store)
        try addTrigger(FailedAppendTests.fullWhileSet)
        for letter in ["a", "b"] {
            let append = try document.letters(letter)
            try setFlag(true)
            // The second refusal is not reported again.
            for _ in 0..<2 { #expect(await store.append(append) == .diskFull) }
            try setFlag(false)
            try await document.type(letter)
            try await document.type(letter)
        }
        let reports = events.value.compactMap { if case .full(let isFull) = $0 { isFull } else { nil } }
        #expect(reports == [true, false, true, false])
        await store.close()
    }

    /// A room never adds an author in `rebase`. But the connection may have been made again since the authors were added,
    /// and then the transaction adds them.
    @Test("an author that was added in a transaction is not remembered if that is rolled back")
    func rolledBackAuthor() async throws {
        let store = try opened()
        var document = try await TrackedDocument(on: store)
        try await document.type("a")
        try addTrigger(FailedAppendTests.fullWhileSet)
        let byBob = try document.append([SampleChange.edit(1, 1, "b")], by: SampleLog.bob, seq: 1)
        let byAnn = try document.letters("b")
        try setFlag(true)
        #expect(await store.appendLocked(byAnn) { _ in byBob.changes }.outcome == .diskFull)
        try setFlag(false)
        #expect(await store.appendLocked(byAnn) { _ in byBob.changes }.outcome == .committed(head: 2))
        #expect(try await store.pusher(SampleLog.bob, in: document.entry.id).get().entry?.revision == 2)
        let changes = try await store.read(document.entry.id, after: 0).get().segment.changes
        #expect(changes.map(\.pusher) == [SampleLog.ann, SampleLog.bob])
        #expect(try await store.check(nil, progress: { _ in }).findings.isEmpty)
        await store.close()
    }

    @Test("after a conflict, the next append needs no read to know the row of the other server")
    func rowAfterConflict() async throws {
        let (here, there) = (try opened("here"), try opened("there"))
        var document = try await TrackedDocument(on: here)
        try await document.type("a")
        let (own, other) = (try document.letters("b"), try document.letters("c"))
        #expect(await there.append(other) == .committed(head: 2))
        #expect(await here.append(own) == .conflict(head: 2))
        try document.follow(other)
        try await document.type("d")
        #expect(try await here.text(of: document.entry.id).get().text == document.text)
        await here.close()
        await there.close()
    }

    // MARK: Unknown outcomes

    @Test("a locked append whose answer did not come is decided before any call about its document")
    func unknownLockedAppend() async throws {
        let store = try opened(patience: 300)
        var document = try await TrackedDocument(on: store)
        let id = document.entry.id
        try addTrigger(FailedAppendTests.waitUntilSet)
        let append = try document.letters("a")
        #expect(await store.appendLocked(append) { _ in append.changes }.outcome == .unknown)
        // The append is undecided until the flag is set, so each call gives up.
        await requireRefusals(
            [
                .pusher(SampleLog.ann, in: id), .entries([id]), .text(id, at: nil),
                .read(id, after: 0, limit: .max),
            ], of: store)
        try setFlag(true)
        #expect(try await store.pusher(SampleLog.ann, in: id).get().head == 1)
        try document.follow(append)
        try await document.type("b")
        #expect(try await store.text(of: id).get().text == document.text)
        await store.close()
    }

    @Test("an append of unknown outcome stays undecided while a group appends to other documents")
    func undecidedInGroup() async throws {
        let store = try opened(patience: 300)
        var documents: [TrackedDocument] = []
        for name in ["1", "2", "3"] { documents.append(try await TrackedDocument(on: store, name)) }
        let id = documents[0].entry.id
        try addTrigger(FailedAppendTests.waitUntilSet)
        let lost = try documents[0].letters("a")
        #expect(await store.appendLocked(lost) { _ in lost.changes }.outcome == .unknown)
        try documents[0].follow(lost)
        // The documents 1 and 3 share a connection, and so a group.
        let earlier = try documents[2].letters("w")
        try documents[2].follow(earlier)
        await gate.hold(store, behind: .append(earlier))
        let (undecided, first) = AsyncStream<StoreAnswer>.makeStream()
        let (decided, third) = AsyncStream<StoreAnswer>.makeStream()
        store.run(.append(try documents[0].letters("b"))) { first.yield($0) }
        store.run(.append(try documents[2].letters("x"))) { third.yield($0) }
        gate.open()
        for await answer in decided.prefix(1) { #expect(answer == .appended(.committed(head: 2))) }
        await requireRefusals([.pusher(SampleLog.ann, in: id)], of: store)
        try setFlag(true)
        for await answer in undecided.prefix(1) {
            #expect(answer == .appended(.committed(head: 2)) || answer == .appended(.away))
        }
        await store.close()
    }

    /// Expects that a store cannot answer these calls now. It makes them at once, because each one is tried for some time.
    private func requireRefusals(_ calls: [StoreCall], of store: PostgresStore) async {
        let (refusals, done) = AsyncStream<Bool>.makeStream()
        for call in calls { store.run(call) { done.yield($0 == call.refused(.refused(.away))) } }
        for await isRefused in refusals.prefix(calls.count) { #expect(isRefused) }
    }

    // MARK: Groups

    @Test(
        "a group is complete when its appends weigh more than 8 MiB",
        arguments: [(8 << 20, [2]), (8 << 20 + 1, [1, 1])])
    func weight(of first: Int, groups: [Int]) async throws {
        let store = try opened()
        var documents: [TrackedDocument] = []
        for name in ["1", "2", "3"] { documents.append(try await TrackedDocument(on: store, name)) }
        let one = try documents[0].append([SampleChange.edit(0, 0, "x")], seq: 1)
        let rest = first - one.changes[0].logged.weight + 1
        let large = try documents[0].append(
            [SampleChange.edit(0, 0, String(repeating: "x", count: rest))], seq: 1)
        #expect(large.changes[0].logged.weight == first)
        let earlier = try documents[2].letters("w")
        try documents[2].follow(earlier)
        let outcomes = await gate.append(
            [large, try documents[2].letters("y")], to: store, behind: .append(earlier))
        #expect(outcomes == [.committed(head: 1), .committed(head: 2)])
        let committing = events.value.compactMap {
            if case .committing(let count) = $0 { count } else { nil }
        }
        #expect(committing.dropFirst() == ArraySlice(groups))
        await store.close()
    }
}

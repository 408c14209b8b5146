import CaretCore
import CaretLog
import CaretPostgres
import Synchronization
import TestSupport
import Testing

/// Without PostgreSQL on this machine, `PostgresStoreTests` has a failing test that says so.
@Suite("A pooler in front of PostgreSQL", .enabled(if: (try? PostgresCluster.shared.get()) != nil))
struct PoolerTests {
    @Test(
        "a pooler shares connections out if two have one process, or one has two",
        arguments: [
            ([(7, PoolerSign.Connection.one), (8, .other), (7, .one), (8, .other)], nil),
            ([(7, .one), (7, .other), (9, .one)], "two connections share process 7"),
            ([(7, .one), (8, .other), (9, .one)], "one connection had process 7, and then 9"),
            ([(7, .one), (8, .other), (8, .one)], "one connection had process 7, and then 8"),
        ] as [([(Int64, PoolerSign.Connection)], String?)])
    func signs(seen: [(Int64, PoolerSign.Connection)], reason: String?) {
        var sign = PoolerSign()
        for (process, connection) in seen { sign.note(process, of: connection) }
        #expect(sign.reason == reason)
    }

    @Test("in session mode, a store works")
    func session() async throws {
        let cluster = try PostgresCluster()
        let address = cluster.newAddress()
        let pooler = try PoolerStandIn(before: cluster, .session, connections: 20)
        let store = try opened(pooler.address(for: address))
        var document = try await TrackedDocument(on: store)
        try await document.type("abc")
        #expect(try await store.text(of: document.entry.id).get().text == document.text)
        #expect(try await store.find(document.entry.name).get().head == 3)
        await store.close()
        pooler.end()
    }

    @Test("in transaction mode, it is refused although it shows no error", arguments: [1, 2, 7])
    func transaction(connections: Int) throws {
        let cluster = try PostgresCluster()
        let address = cluster.newAddress()
        let pooler = try PoolerStandIn(before: cluster, .transaction, connections: connections)
        do throws(PostgresOpeningFault) {
            _ = try opened(pooler.address(for: address))
            Issue.record("the store was opened")
        } catch {
            guard case .pooled(let sign) = error else {
                Issue.record("\(error)")
                return
            }
            #expect(sign.contains("process"))
            #expect(
                "\(error)"
                    == "the pooler in front of PostgreSQL is not in session mode (\(sign)); set this mode, or connect directly"
            )
            #expect(!error.mayPass)
        }
        pooler.end()
    }

    @Test("if its mode changes later, nothing is written until it is in session mode again")
    func changedMode() async throws {
        let cluster = try PostgresCluster()
        let address = cluster.newAddress()
        let pooler = try PoolerStandIn(before: cluster, .session, connections: 2)
        let losses = Mutex<[String]>([])
        let store = try opened(pooler.address(for: address), patience: 1_000) { event in
            if case .lost(let reason) = event { losses.withLock { $0.append(reason) } }
        }
        var document = try await TrackedDocument(on: store)
        try await document.type("ab")
        pooler.restart(in: .transaction)
        let append = try document.append([SampleChange.edit(0, 0, "x")], seq: 9)
        var outcome = await store.append(append)
        while outcome == .unknown { outcome = await store.append(append) }
        #expect(outcome == .away)
        #expect(losses.withLock { $0.contains { $0.contains("is not in session mode (") } })
        pooler.restart(in: .session)
        while outcome == .away || outcome == .unknown { outcome = await store.append(append) }
        #expect(outcome == .committed(head: 3))
        await store.close()
        pooler.end()
    }

    private func opened(
        _ address: String, patience: Int32 = 10_000,
        onEvent: @escaping @Sendable (PostgresEvent) -> Void = { _ in }
    ) throws(PostgresOpeningFault) -> PostgresStore {
        let address = Result { () throws(PostgresAddress.Invalid) in try PostgresAddress(address) }
        guard case .success(let address) = address else { preconditionFailure("the address is wrong") }
        return try PostgresStore(
            address, node: "test", allowsUnreplicated: true, patience: patience, onEvent: onEvent)
    }
}

import CaretCore
import CaretLog
import CaretPostgres
import TestSupport
import Testing

/// PostgreSQL after a failover or a restore, as a store finds it that was open all the time.
@Suite("A server of PostgreSQL that was replaced while a store is open") struct ReplacedServerTests {
    private let cluster: PostgresCluster
    private let events = Shared<[PostgresEvent]>([])

    init() throws { cluster = try PostgresCluster() }

    private func opened(_ address: String) throws -> PostgresStore {
        try PostgresStore(
            PostgresAddress(address), node: "test", allowsUnreplicated: true, patience: 10_000
        ) { [events] event in events.change { $0.append(event) } }
    }

    /// Ends all connections of stores whose last statement begins like this.
    private func endConnections(_ statement: String = "") throws {
        try cluster.execute(
            "SELECT pg_terminate_backend(pid, 60000) FROM pg_stat_activity "
                + "WHERE application_name = 'caretd' AND query LIKE '\(statement)%'")
    }

    // MARK: Lost commits

    enum Writer: Int, CaseIterable {
        /// The lane of documents with odd numbers, and the one of other calls.
        case append = 2
        case lockedAppend = 3
    }

    @Test(
        "if the server has lost the last commit of one connection, all epochs are new",
        arguments: Writer.allCases)
    func oneLostCommit(writer: Writer) async throws {
        let store = try opened(cluster.newAddress())
        var document = try await TrackedDocument(on: store)
        for letter in ["a", "b", "c"] {
            let append = try document.letters(letter)
            #expect(await outcome(of: append, by: writer, store) == .committed(head: document.head.next))
            try document.follow(append)
        }
        let generation = store.generation
        try cluster.execute("UPDATE store_1.lane SET commits = commits - 1 WHERE lane = \(writer.rawValue)")
        try endConnections()
        let append = try document.letters("d")
        var last = await outcome(of: append, by: writer, store)
        while last == .unknown || last == .away { last = await outcome(of: append, by: writer, store) }
        #expect(last == .documentGone)
        #expect(store.generation != generation)
        // The next commit of the connection had the number of the lost one.
        let counts = events.value.compactMap { event in
            if case .renewed(.behind(let found, let known)) = event { found - known } else { nil }
        }
        #expect(counts == [0])
        await store.close()
    }

    private func outcome(of append: Append, by writer: Writer, _ store: PostgresStore) async -> AppendOutcome
    {
        switch writer {
        case .append: await store.append(append)
        case .lockedAppend: await store.appendLocked(append) { _ in append.changes }.outcome
        }
    }

    // MARK: Another server

    /// Functions that a connection finds before PostgreSQL's own ones, and the address for that. They say which cluster
    /// and timeline the server is.
    private func addressOfDisguised() throws -> String {
        let address = cluster.newAddress().replacing("store_1", with: "store_1%2Cpg_catalog")
        try cluster.execute(
            "SET search_path = store_1; CREATE SEQUENCE asked; "
                + "CREATE TABLE disguise AS SELECT 7::bigint AS identifier, 3 AS timeline; "
                + "CREATE FUNCTION pg_control_system() RETURNS TABLE (system_identifier bigint) LANGUAGE sql AS "
                + "'SELECT identifier FROM store_1.disguise WHERE nextval(''store_1.asked'') > 0'; "
                + "CREATE FUNCTION pg_walfile_name(pg_lsn) RETURNS text LANGUAGE sql AS "
                + "'SELECT lpad(to_hex(timeline), 8, ''0'') FROM store_1.disguise'")
        return address
    }

    private var reconnections: Int { events.value.count { $0 == .reconnected } }

    @Test(
        "after one connection has found another server, no earlier connection is used",
        arguments: ["identifier = 8", "timeline = 4"])
    func otherServer(change: String) async throws {
        let store = try opened(addressOfDisguised())
        var document = try await TrackedDocument(on: store)
        let id = document.entry.id
        try await document.type("a")
        let other = try DocumentName("other")
        let calls: [(String, () async -> Bool)] = [
            ("reads", { (try? await store.text(of: id).get()) != nil }),
            ("writes", { if case .refused = await store.create(other) { false } else { true } }),
        ]
        for (name, call) in calls { #expect(await call(), "\(name)") }
        let (_, missed) = countedMisses(of: store)
        let before = reconnections
        try cluster.execute("UPDATE store_1.disguise SET \(change)")
        try endConnections("WITH asked")
        try await document.type("b")
        #expect(reconnections > before)
        for (name, call) in calls {
            let before = reconnections
            #expect(await call(), "\(name)")
            #expect(reconnections > before, "\(name)")
        }
        for await _ in missed.prefix(1) {}
        await store.close()
    }

    @Test("the bus does not connect to a server that was replaced")
    func busOfReplacedServer() async throws {
        let store = try opened(addressOfDisguised())
        let (count, missed) = countedMisses(of: store)
        try cluster.execute("UPDATE store_1.disguise SET timeline = 2")
        try cluster.execute("SELECT setval('store_1.asked', 1)")
        try endConnections()
        // It has asked two servers which ones they are.
        try cluster.execute(
            PostgresCluster.block(until: "(SELECT last_value FROM store_1.asked) >= 3"))
        #expect(count.value == 0)
        try cluster.execute("UPDATE store_1.disguise SET timeline = 3")
        for await _ in missed.prefix(1) {}
        await store.close()
    }

    /// How often the bus may have missed messages, as before a new connection, and an element each time.
    private func countedMisses(of store: PostgresStore) -> (Shared<Int>, AsyncStream<Void>) {
        let (count, (misses, sink)) = (Shared(0), AsyncStream<Void>.makeStream())
        store.bus?.listen { event in
            if event != .missed { return }
            count.change { $0 += 1 }
            sink.yield()
        }
        return (count, misses)
    }
}

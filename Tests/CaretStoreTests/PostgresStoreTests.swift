import CaretCore
import CaretFormat
import CaretLog
import CaretPostgres
import Foundation
import Synchronization
import TestSupport
import Testing

/// What only a store over PostgreSQL does. The contract of stores runs on it in `…ContractTests`.
@Suite("The store over PostgreSQL") struct PostgresStoreTests {
    @Test(
        "PostgreSQL starts on this machine",
        .enabled(if: ProcessInfo.processInfo.environment["CARET_WITHOUT_POSTGRES"] == nil))
    func isThere() throws { _ = try PostgresCluster.shared.get() }

    @Test("the migrations are those of the folder")
    func migrations() throws {
        let folder = URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "../../migrations/postgres").standardizedFileURL
        let files = try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
        #expect(files.count == PostgresMigration.all.count)
        for (file, migration) in zip(files, PostgresMigration.all) {
            #expect(file.hasPrefix(String(format: "%04d_", migration.number)))
            #expect(try Data(contentsOf: folder.appending(path: file)) == Data(migration.sql))
        }
    }

    @Test("a database of a later or another version is refused")
    func otherVersions() async throws {
        let address = try PostgresCluster.shared.get().newAddress()
        let own = PostgresMigration.all
        let known = Int64(own.count)
        let later = PostgresMigration(number: known + 1, sql: Array("SELECT 1".utf8), oldest: known + 1)
        await (try opened(address, migrations: own + [later])).close()
        #expect(throws: PostgresOpeningFault.schemaTooNew(found: known + 1, known: known)) {
            try opened(address, migrations: own)
        }
        let other = PostgresMigration(number: 1, sql: own[0].sql + [0x0A], oldest: 1)
        #expect(throws: PostgresOpeningFault.migrationChanged(migration: 1)) {
            try opened(address, migrations: [other] + own.dropFirst() + [later])
        }
    }

    @Test("servers of two versions run together if the later schema suits the earlier one")
    func rollingUpgrade() async throws {
        let address = try PostgresCluster.shared.get().newAddress()
        let known = Int64(PostgresMigration.all.count)
        let step = PostgresMigration(
            number: known + 1,
            sql: Array("ALTER TABLE document ADD COLUMN color bigint NOT NULL DEFAULT 0".utf8),
            oldest: known)
        let old = try opened(address)
        let new = try opened(address, as: "new", migrations: PostgresMigration.all + [step])
        var document = try await TrackedDocument(on: old)
        try await document.type("a")
        document.store = new
        try await document.type("b")
        // The old one knows the row as it was before the append of the new one.
        #expect(try await old.text(of: document.entry.id).get().text == document.text)
        await old.close()
        let again = try opened(address)
        document.store = again
        try await document.type("c")
        await again.close()
        await new.close()
    }

    @Test("a schema that earlier servers do not know is made only after they have stopped")
    func upgradeWithStop() async throws {
        let address = try PostgresCluster.shared.get().newAddress()
        let known = Int64(PostgresMigration.all.count)
        let step = PostgresMigration(
            number: known + 1, sql: Array("ALTER TABLE document RENAME head TO newest".utf8),
            oldest: known + 1)
        let old = try opened(address)
        #expect(throws: PostgresOpeningFault.olderServer("test")) {
            try opened(address, as: "new", migrations: PostgresMigration.all + [step])
        }
        var document = try await TrackedDocument(on: old)
        try await document.type("a")
        await old.close()
        await (try opened(address, as: "new", migrations: PostgresMigration.all + [step])).close()
        #expect(throws: PostgresOpeningFault.schemaTooNew(found: known + 1, known: known)) {
            try opened(address)
        }
    }

    @Test("without a synchronous standby, the database is refused unless that is allowed")
    func unreplicated() async throws {
        let address = try PostgresAddress(PostgresCluster.shared.get().newAddress())
        #expect(throws: PostgresOpeningFault.notReplicated) {
            try PostgresStore(address, node: "test", allowsUnreplicated: false)
        }
        await (try PostgresStore(address, node: "test", allowsUnreplicated: true)).close()
    }

    @Test("a database that may lose commits in a crash is refused")
    func unsafeServer() throws {
        let cluster = try PostgresCluster()
        try cluster.execute("ALTER SYSTEM SET fsync = off")
        try cluster.execute("SELECT pg_reload_conf()")
        #expect(throws: PostgresOpeningFault.unsafeSetting(name: "fsync", value: "off")) {
            try opened(cluster.newAddress())
        }
    }

    @Test("the address of a server on another machine asks for its certificate, and a password is refused")
    func addresses() throws {
        func sslMode(_ text: String) throws -> String? {
            try PostgresAddress(text).parameters.first { $0.keyword == "sslmode" }?.value
        }
        #expect(try sslMode("postgres://caret@db.example.org/caret") == "verify-full")
        #expect(try sslMode("postgres://caret@127.0.0.1/caret") == nil)
        #expect(try sslMode("postgres:///caret?host=/run/postgresql") == nil)
        #expect(throws: PostgresAddress.Invalid.self) { try PostgresAddress("postgres://a:secret@db/caret") }
        #expect(throws: PostgresAddress.Invalid.self) {
            try PostgresAddress("postgres://a@db/caret?color=red")
        }
    }

    /// A lost connection would show the same, but not at a moment that a test can choose.
    @Test("a document is not taken for damaged if its authors cannot be read")
    func unreadAuthors() async throws {
        let cluster = try PostgresCluster()
        let address = cluster.newAddress()
        let first = try opened(address)
        var document = try await TrackedDocument(on: first)
        let append = try document.append([SampleChange.edit(0, 0, "x")], seq: 1)
        #expect(await first.append(append) == .committed(head: 1))
        try document.follow(append)
        await first.close()
        let store = try PostgresStore(PostgresAddress(address), node: "test", allowsUnreplicated: true)
        try cluster.execute("ALTER TABLE store_1.author RENAME TO hidden")
        let found = await store.read(document.entry.id, after: 0)
        #expect(throws: HistoryRefusal.refused(.failed)) { try found.get() }
        try cluster.execute("ALTER TABLE store_1.hidden RENAME TO author")
        #expect(try await store.text(of: document.entry.id).get().text == document.text)
        #expect(try await store.read(document.entry.id, after: 0).get().head == 1)
        await store.close()
    }

    /// These errors came from PgBouncer 1.18.
    @Test(
        "a pooler that is not in session mode is refused, and not waited for",
        arguments: [
            ("42P05", "prepared statement \"s0\" already exists"),
            ("08P01", "transaction blocks not allowed in statement pooling mode"),
        ])
    func pooled(state: String, message: String) {
        let fault = PostgresOpeningFault(.server(ServerError(state: state, message: message)))
        #expect(fault == .pooled(message) && !fault.mayPass)
        let denied = ServerError(state: "42501", message: "permission denied for table store")
        #expect(!PostgresOpeningFault(.server(denied)).mayPass)
        let starting = ServerError(state: "57P03", message: "the database system is starting up")
        #expect(PostgresOpeningFault(.server(starting)).mayPass)
    }

    @Test("the hosts of an address can be tried in another order")
    func hosts() throws {
        let address = try PostgresAddress("postgres://a:1,b:2,c:3/caret?sslmode=disable")
        #expect(address.hostCount == 3)
        #expect(address.index(of: "b", port: "2") == 1)
        #expect(address.index(of: "b", port: "3") == nil)
        let turned = address.parameters(beginningWith: 4)
        #expect(turned.last { $0.keyword == "host" }?.value == "b,c,a")
        #expect(turned.last { $0.keyword == "port" }?.value == "2,3,1")
        let folders = try PostgresAddress("postgres:///caret?host=/x,/y&port=5")
        #expect(folders.index(of: "/y", port: "5") == 1)
        let byNumber = folders.parameters(beginningWith: 1)
        #expect(byNumber.last { $0.keyword == "host" }?.value == "/y,/x")
        #expect(!byNumber.contains { $0.keyword == "port" })
        let one = try PostgresAddress("postgres://db/caret")
        #expect(one.parameters(beginningWith: 1).map(\.keyword) == one.parameters.map(\.keyword))
    }

    // MARK: Shared connections

    @Test("a newest text and a lookup do not wait until an old text is there")
    func shortCallsFirst() async throws {
        let store = try opened(PostgresCluster.shared.get().newAddress())
        var document = try await TrackedDocument(on: store)
        try await document.type("abc")
        let (id, name) = (document.entry.id, document.entry.name)
        let (answers, sink) = AsyncStream.makeStream(of: String.self)
        // This completion runs on the connection that reads, so all calls wait before one of them begins.
        store.run(.read(id, after: 0, limit: 1)) { _ in
            store.run(.text(id, at: 1)) { _ in sink.yield("old text") }
            store.run(.read(id, after: 0, limit: 1)) { _ in sink.yield("history") }
            store.run(.text(id, at: nil)) { _ in sink.yield("newest text") }
            store.run(.find(name)) { _ in sink.yield("lookup") }
        }
        var found: [String] = []
        for await answer in answers.prefix(4) { found.append(answer) }
        #expect(found == ["newest text", "lookup", "old text", "history"])
        await store.close()
    }

    @Test("an old text that is too long to be kept in memory is read in several steps")
    func longOldText() async throws {
        let store = try opened(PostgresCluster.shared.get().newAddress())
        var document = try await TrackedDocument(on: store)
        let long = String(repeating: "0123456789abcdef", count: LadderPolicy.mostBytes / 4 / 16)
        let append = try document.append([SampleChange.edit(0, 0, long)], seq: 1)
        #expect(await store.append(append) == .committed(head: 1))
        try document.follow(append)
        while document.log.count < TextReplay.changesPerStep + 200 {
            try await document.typeAtOnce(String(repeating: "ab", count: 64))
        }
        let revision = Revision(TextReplay.changesPerStep + 150)
        let found = try await store.text(of: document.entry.id, at: revision).get()
        #expect(found.text == document.texts[revision.value])
        await store.close()
    }

    // MARK: Unknown outcomes

    /// A trigger makes each append of a segment take longer than the store waits.
    @Test("an append whose answer did not come is decided before the next call about its document")
    func unknownOutcome() async throws {
        let cluster = try PostgresCluster()
        let address = cluster.newAddress()
        let store = try opened(address, patience: 300)
        var document = try await TrackedDocument(on: store)
        try cluster.execute(
            "SET search_path = store_1; CREATE FUNCTION slow() RETURNS trigger LANGUAGE plpgsql AS "
                + "$$BEGIN PERFORM pg_sleep(1.0); RETURN NEW; END$$; "
                + "CREATE TRIGGER slow BEFORE INSERT ON segment FOR EACH ROW EXECUTE FUNCTION slow()")
        let append = try document.append([SampleChange.edit(0, 0, "x")], seq: 1)
        #expect(await store.append(append) == .unknown)
        // The commit holds the lock of the row, so the store answers nothing about the document until it is decided.
        var found = await store.pusher(SampleLog.ann, in: document.entry.id)
        while refusal(found) == .away {
            try await Task.sleep(for: .milliseconds(50))
            found = await store.pusher(SampleLog.ann, in: document.entry.id)
        }
        #expect(try found.get().head == 1)
        #expect(try found.get().entry?.seq == 1)
        try document.follow(append)
        #expect(try await store.text(of: document.entry.id).get().text == document.text)
        await store.close()
    }

    @Test("an append whose connection was lost before it was sent can be tried again")
    func lostConnection() async throws {
        // A cluster of its own, because it ends connections of all stores.
        let cluster = try PostgresCluster()
        let isFirst = Atomic(true)
        let store = try opened(cluster.newAddress()) { event in
            guard case .committing = event, isFirst.exchange(false, ordering: .relaxed) else { return }
            let own = "application_name = 'caretd' AND query LIKE 'INSERT INTO author%'"
            try? cluster.execute("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE \(own)")
        }
        var document = try await TrackedDocument(on: store)
        let append = try document.append(
            [SampleChange.edit(0, 0, "x")], by: Pusher(user: "a", client: "lost"), seq: 1)
        let outcome = await store.append(append)
        #expect(outcome == .unknown || outcome == .committed(head: 1))
        let head = try await store.entries(of: [document.entry.id])[0].get().head
        if outcome == .unknown, head == 0 { #expect(await store.append(append) == .committed(head: 1)) }
        try document.follow(append)
        #expect(try await store.text(of: document.entry.id).get().text == document.text)
        await store.close()
    }

    @Test("a document is created on another connection if that of the store was lost")
    func createAfterLoss() async throws {
        let cluster = try PostgresCluster()
        let store = try opened(cluster.newAddress())
        _ = try await TrackedDocument(on: store)
        try cluster.execute(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'caretd'")
        let name = try DocumentName("notes/second")
        guard case .created(let entry) = await store.create(name) else {
            throw Unexpected(what: "no document")
        }
        #expect(try await store.find(name).get() == entry)
        await store.close()
    }

    /// A server that stops at once sends a warning before it closes each connection. Here, a view sends this warning
    /// with each answer on connections from before the view.
    @Test("a read with a warning is repeated on another connection")
    func warning() async throws {
        let cluster = try PostgresCluster()
        let losses = Atomic(0)
        let store = try opened(cluster.newAddress()) { event in
            if case .lost = event { losses.add(1, ordering: .relaxed) }
        }
        var document = try await TrackedDocument(on: store)
        try await document.type("ab")
        let id = document.entry.id
        #expect(try await store.read(id, after: 0).get().head == document.head)
        #expect(losses.load(ordering: .relaxed) == 0)
        try cluster.execute(
            "SET search_path = store_1; "
                + "ALTER TABLE document RENAME TO hidden; CREATE FUNCTION warn() RETURNS boolean LANGUAGE plpgsql AS "
                + "$$BEGIN IF (SELECT backend_start FROM pg_stat_activity WHERE pid = pg_backend_pid()) < "
                + "(SELECT made FROM moment) THEN RAISE WARNING 'terminating connection'; END IF; RETURN true; END$$; "
                + "CREATE TABLE moment AS SELECT clock_timestamp() AS made; "
                + "CREATE VIEW document AS SELECT * FROM hidden WHERE warn()")
        #expect(try await store.read(id, after: 0).get().head == document.head)
        #expect(losses.load(ordering: .relaxed) == 1)
        try cluster.execute(
            "SET search_path = store_1; DROP VIEW document; ALTER TABLE hidden RENAME TO document")
        await store.close()
    }

    @Test("calls wait for PostgreSQL until their patience is over since the first failed attempt")
    func outage() {
        let began = ContinuousClock.now
        var outage = Outage(since: began, patience: .milliseconds(300))
        #expect(!outage.isLong(at: began + .milliseconds(299)))
        #expect(outage.isLong(at: began + .milliseconds(300)))
        var pauses: [Duration] = []
        for _ in 0..<7 {
            outage.attemptFailed(at: began)
            pauses.append(outage.nextAttempt - began)
        }
        #expect(pauses == [50, 100, 200, 400, 800, 1_000, 1_000].map { Duration.milliseconds($0) })
    }

    @Test("while PostgreSQL is stopped, calls are refused as away; afterwards they work again")
    func stoppedServer() async throws {
        let cluster = try PostgresCluster()
        let events = Mutex<[PostgresEvent]>([])
        let store = try opened(cluster.newAddress(), patience: 300) { event in
            events.withLock { $0.append(event) }
        }
        var document = try await TrackedDocument(on: store)
        try await document.type("ab")
        try cluster.stop("QUIT")
        let append = try document.append([SampleChange.edit(0, 0, "x")], seq: 9)
        let outcome = await store.append(append)
        #expect(outcome == .unknown || outcome == .away)
        #expect(await store.append(append) == .away)
        #expect(refusal(await store.find(document.entry.name)) == .away)
        try cluster.start()
        while await store.append(append) == .away { try await Task.sleep(for: .milliseconds(50)) }
        try document.follow(append)
        // Each connection tries once a second.
        var found = await store.text(of: document.entry.id)
        while refusal(found) == .refused(.away) { found = await store.text(of: document.entry.id) }
        #expect(try found.get().text == document.text)
        #expect(try await store.check(nil, progress: { _ in }).findings.isEmpty)
        await store.close()
        let reported = events.withLock { $0 }
        #expect(reported.contains { if case .lost = $0 { true } else { false } })
        #expect(reported.contains(.reconnected))
        #expect(!reported.contains { if case .renewed = $0 { true } else { false } })
    }

    @Test("connections that end at any moment make no read or write look damaged")
    func endedConnections() async throws {
        let cluster = try PostgresCluster()
        let store = try opened(cluster.newAddress(), patience: 20_000)
        var document = try await TrackedDocument(on: store)
        try await document.type("ab")
        let id = document.entry.id
        let (isOver, damaged) = (Shared(false), Shared(0))
        try await withThrowingTaskGroup { group in
            group.addTask {
                // The list of connections is read again in each round.
                try cluster.execute(
                    "DO 'BEGIN FOR round IN 1..400 LOOP PERFORM pg_stat_clear_snapshot(); "
                        + "PERFORM pg_terminate_backend(pid) FROM pg_stat_activity "
                        + "WHERE application_name = ''caretd'' AND random() < 0.3; "
                        + "PERFORM pg_sleep(0.005); END LOOP; END'")
                isOver.change { $0 = true }
            }
            for revision: Revision? in [1, 2, nil] {
                group.addTask {
                    while !isOver.value {
                        switch await store.text(of: id, at: revision) {
                        case .failure(.refused(.damaged)), .failure(.wrongText):
                            damaged.change { $0 += 1 }
                        case .success, .failure: break
                        }
                    }
                }
            }
            var seq: Int64 = 100
            while !isOver.value {
                let append = try document.append([SampleChange.edit(0, 0, "x")], seq: seq)
                var outcome = await store.append(append)
                while outcome == .unknown || outcome == .away { outcome = await store.append(append) }
                // After an unknown outcome, a conflict with the expected head is the append itself.
                let head = document.head.next
                #expect(outcome == .committed(head: head) || outcome == .conflict(head: head))
                try document.follow(append)
                seq += 1
            }
            try await group.waitForAll()
        }
        #expect(damaged.value == 0)
        #expect(try await store.check(nil, progress: { _ in }).findings.isEmpty)
        await store.close()
    }

    // MARK: Standbys

    @Test("an append is acked only after the standby has confirmed it")
    func standby() async throws {
        let cluster = try PostgresCluster()
        try cluster.addStandby()
        let store = try PostgresStore(
            PostgresAddress(cluster.newAddress()), node: "test", allowsUnreplicated: false, patience: 500)
        var document = try await TrackedDocument(on: store)
        try await document.type("ab")
        try cluster.stopStandby()
        let append = try document.append([SampleChange.edit(0, 0, "x")], seq: 9)
        #expect(await store.append(append) == .unknown)
        // PostgreSQL has the row, but may show it to nobody before a standby has it.
        #expect(refusal(await store.pusher(SampleLog.ann, in: document.entry.id)) == .away)
        try cluster.startStandby()
        var found = await store.pusher(SampleLog.ann, in: document.entry.id)
        while refusal(found) == .away { found = await store.pusher(SampleLog.ann, in: document.entry.id) }
        try document.follow(append)
        #expect(try found.get().head == document.head)
        #expect(try await store.text(of: document.entry.id).get().text == document.text)
        await store.close()
    }

    @Test("a start without a standby that confirms says what it waits for")
    func startWithoutStandby() throws {
        let cluster = try PostgresCluster()
        try cluster.addStandby()
        try cluster.stopStandby()
        let address = try PostgresAddress(cluster.newAddress())
        #expect(throws: PostgresOpeningFault.notConfirmed("*", seconds: 1)) {
            try PostgresStore(address, node: "test", allowsUnreplicated: false, patience: 1_000)
        }
    }

    @Test(
        "a push whose wait for a standby was cancelled is not found by another server before a standby has it"
    )
    func cancelledWait() async throws {
        let cluster = try PostgresCluster()
        try cluster.addStandby()
        let address = try PostgresAddress(cluster.newAddress())
        func open(_ node: String, patience: Int32) throws -> PostgresStore {
            try PostgresStore(address, node: node, allowsUnreplicated: false, patience: patience)
        }
        let (here, there) = (try open("here", patience: 60_000), try open("there", patience: 1_000))
        var document = try await TrackedDocument(on: here)
        try await document.type("ab")
        let id = document.entry.id
        #expect(try await there.pusher(SampleLog.ann, in: id).get().entry?.revision == 2)
        try cluster.stopStandby()
        let append = try document.append([SampleChange.edit(0, 0, "x")], seq: 9)
        async let outcome = here.append(append)
        try cluster.execute(
            PostgresCluster.block(
                until: "(SELECT count(*) FILTER (WHERE pg_cancel_backend(pid)) FROM pg_stat_activity "
                    + "WHERE wait_event = 'SyncRep') > 0"))
        #expect(await outcome == .unknown)
        #expect(refusal(await there.pusher(SampleLog.ann, in: id)) == .away)
        try cluster.startStandby()
        var found = await there.pusher(SampleLog.ann, in: id)
        while refusal(found) == .away { found = await there.pusher(SampleLog.ann, in: id) }
        #expect(try found.get().entry?.revision == 3)
        await here.close()
        await there.close()
    }

    @Test("if the list of standbys is emptied while a commit waits, nothing is acked until it is back")
    func emptiedList() async throws {
        let cluster = try PostgresCluster()
        try cluster.addStandby()
        let events = Mutex<[PostgresEvent]>([])
        let store = try PostgresStore(
            PostgresAddress(cluster.newAddress()), node: "test", allowsUnreplicated: false, patience: 5_000
        ) { event in events.withLock { $0.append(event) } }
        var document = try await TrackedDocument(on: store)
        try await document.type("ab")
        try cluster.stopStandby()
        events.withLock { $0 = [] }
        let append = try document.append([SampleChange.edit(0, 0, "x")], seq: 9)
        async let outcome = store.append(append)
        while !events.withLock({ $0.contains(.committing(1)) }) {
            try await Task.sleep(for: .milliseconds(1))
        }
        try cluster.execute("ALTER SYSTEM SET synchronous_standby_names = ''")
        try cluster.execute("SELECT pg_reload_conf()")
        #expect(await outcome == .unknown)
        // PostgreSQL shows the append, but it is on one disk.
        #expect(refusal(await store.pusher(SampleLog.ann, in: document.entry.id)) == .away)
        try document.follow(append)
        let next = try document.append([SampleChange.edit(0, 0, "y")], seq: 10)
        #expect(await store.append(next) == .away)
        #expect(events.withLock { $0.contains(.unreplicated(true)) })
        try cluster.startStandby()
        try cluster.execute("ALTER SYSTEM SET synchronous_standby_names = '*'")
        try cluster.execute("SELECT pg_reload_conf()")
        var last = await store.append(next)
        while last == .away || last == .unknown { last = await store.append(next) }
        #expect(last == .committed(head: document.head.next))
        await store.close()
    }

    @Test("after a failover to the standby, the store goes on without new epochs")
    func failover() async throws {
        let events = Mutex<[PostgresEvent]>([])
        var (store, document) = try await failedOver(allowsUnreplicated: true, patience: 2_000) { event in
            events.withLock { $0.append(event) }
        }
        let append = try document.append([SampleChange.edit(0, 0, "x")], seq: 9)
        var outcome = await store.append(append)
        while outcome == .unknown || outcome == .away { outcome = await store.append(append) }
        #expect(outcome == .committed(head: 4))
        try document.follow(append)
        #expect(try await store.text(of: document.entry.id).get().text == document.text)
        #expect(try await store.check(nil, progress: { _ in }).findings.isEmpty)
        #expect(store.generation == document.entry.epoch.generation)
        #expect(!events.withLock { $0 }.contains { if case .renewed = $0 { true } else { false } })
        await store.close()
    }

    /// A store with a document "abc" whose primary has ended, and whose standby has taken over.
    private func failedOver(
        allowsUnreplicated: Bool, patience: Int32, onEvent: @escaping @Sendable (PostgresEvent) -> Void
    ) async throws -> (PostgresStore, TrackedDocument) {
        let cluster = try PostgresCluster()
        _ = cluster.newAddress()
        try cluster.addStandby()
        let store = try PostgresStore(
            PostgresAddress(cluster.addressOfBoth), node: "test", allowsUnreplicated: allowsUnreplicated,
            patience: patience, onEvent: onEvent)
        var document = try await TrackedDocument(on: store)
        try await document.type("abc")
        try cluster.stop("QUIT")
        try cluster.promoteStandby()
        return (store, document)
    }

    @Test("a server that took over without a list of standbys is read, but nothing is written to it")
    func failoverToUnreplicated() async throws {
        let events = Mutex<[PostgresEvent]>([])
        let (store, document) = try await failedOver(allowsUnreplicated: false, patience: 500) { event in
            events.withLock { $0.append(event) }
        }
        var found = await store.text(of: document.entry.id)
        while refusal(found) == .refused(.away) { found = await store.text(of: document.entry.id) }
        #expect(try found.get().text == document.text)
        let append = try document.append([SampleChange.edit(0, 0, "x")], seq: 9)
        while !events.withLock({ $0.contains(.unreplicated(true)) }) { _ = await store.append(append) }
        #expect(await store.append(append) == .away)
        let created = await store.create(try DocumentName("other"))
        if case .refused(.away) = created {} else { Issue.record("\(created)") }
        await store.close()
    }

    @Test(
        "a former primary that still runs after a failover is left, because it confirms nothing")
    func runningFormerPrimary() async throws {
        let cluster = try PostgresCluster()
        _ = cluster.newAddress()
        try cluster.addStandby()
        // The server that takes over has no standby.
        let store = try PostgresStore(
            PostgresAddress(cluster.addressOfBoth), node: "test", allowsUnreplicated: true, patience: 1_000)
        var document = try await TrackedDocument(on: store)
        try await document.type("abc")
        let isMissed = Atomic(false)
        store.bus?.listen { event in
            if case .missed = event { isMissed.store(true, ordering: .relaxed) }
        }
        try cluster.promoteStandby()
        let append = try document.append([SampleChange.edit(0, 0, "x")], seq: 9)
        var outcome = await store.append(append)
        while outcome == .unknown || outcome == .away { outcome = await store.append(append) }
        #expect(outcome == .committed(head: 4))
        try document.follow(append)
        #expect(try await store.text(of: document.entry.id).get().text == document.text)
        // The bus follows the other connections.
        while !isMissed.load(ordering: .relaxed) { try await Task.sleep(for: .milliseconds(20)) }
        await store.close()
        // A new store does not stay at the former primary either.
        let second = try PostgresStore(
            PostgresAddress(cluster.addressOfBoth), node: "test", allowsUnreplicated: true, patience: 1_000)
        #expect(try await second.text(of: document.entry.id).get().text == document.text)
        await second.close()
    }

    /// The room reads the history after an unknown outcome, and appends nothing before. The row of the document stays
    /// locked at the former primary, where the commit waits for a standby for ever.
    @Test("a read leaves a former primary that did not answer an append")
    func readAfterFormerPrimary() async throws {
        let cluster = try PostgresCluster()
        _ = cluster.newAddress()
        try cluster.addStandby()
        let store = try PostgresStore(
            PostgresAddress(cluster.addressOfBoth), node: "test", allowsUnreplicated: true, patience: 1_000)
        var document = try await TrackedDocument(on: store)
        try await document.type("abc")
        #expect(try await store.read(document.entry.id, after: 0).get().head == 3)
        try cluster.promoteStandby()
        let append = try document.append([SampleChange.edit(0, 0, "x")], seq: 9)
        #expect(await store.append(append) == .unknown)
        var found = await store.read(document.entry.id, after: 0)
        while case .failure(.refused(.away)) = found { found = await store.read(document.entry.id, after: 0) }
        #expect(try found.get().head == 3)
        await store.close()
    }

    // MARK: Older copies

    @Test("a database that has lost commits of a connection gets new epochs")
    func lostCommits() async throws {
        let cluster = try PostgresCluster()
        let events = Mutex<[PostgresEvent]>([])
        let store = try opened(cluster.newAddress()) { event in events.withLock { $0.append(event) } }
        var document = try await TrackedDocument(on: store)
        try await document.type("abc")
        await store.close()
        // The second store is not fresh, so its epochs are those of the first.
        let second = try opened(cluster.addressOfFirstSchema) { event in events.withLock { $0.append(event) }
        }
        document.store = second
        try await document.type("d")
        let generation = second.generation
        #expect(generation == store.generation)
        try cluster.execute("UPDATE store_1.lane SET commits = 0")
        try cluster.execute(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'caretd'")
        let append = try document.append([SampleChange.edit(0, 0, "x")], seq: 99)
        var outcome = await second.append(append)
        while outcome == .unknown || outcome == .away { outcome = await second.append(append) }
        #expect(outcome == .documentGone)
        #expect(second.generation != generation)
        #expect(
            events.withLock { $0 }.contains { event in
                if case .renewed(.behind) = event { true } else { false }
            })
        await second.close()
    }

    @Test("after an older copy took over, an author that it does not have is added again")
    func authorsOfOlderCopy() async throws {
        let cluster = try PostgresCluster()
        // A store that has created its database notices no older copy.
        await (try opened(cluster.newAddress())).close()
        let store = try opened(cluster.addressOfFirstSchema)
        var document = try await TrackedDocument(on: store)
        try await document.type("abc")
        var other = try await TrackedDocument(on: store, "other")
        try await other.type("d", by: SampleLog.bob)
        for table in ["segment", "snapshot", "pusher"] {
            try cluster.execute("DELETE FROM store_1.\(table) WHERE document = \(other.entry.id.value)")
        }
        try cluster.execute("DELETE FROM store_1.document WHERE id = \(other.entry.id.value)")
        try cluster.execute("DELETE FROM store_1.author WHERE username = 'bob'")
        try cluster.execute("UPDATE store_1.lane SET commits = 0")
        try cluster.stop()
        try cluster.start()
        let append = try document.append([SampleChange.edit(0, 0, "x")], by: SampleLog.bob, seq: 2)
        var outcome = await store.append(append)
        while outcome == .unknown || outcome == .away { outcome = await store.append(append) }
        #expect(outcome == .documentGone)
        let entry = try await store.find(document.entry.name).get()
        let again = Append(
            document: entry.id, epoch: entry.epoch, expected: document.head, changes: append.changes)
        outcome = await store.append(again)
        #expect(outcome == .committed(head: 4))
        #expect(try await store.check(nil, progress: { _ in }).findings.isEmpty)
        let changes = try await store.read(entry.id, after: 3, limit: .max).get().segment.changes
        #expect(changes.map(\.pusher) == [SampleLog.bob])
        await store.close()
    }

    @Test("a database that was restored to another timeline gets new epochs")
    func otherTimeline() async throws {
        try await expectNewEpochs(after: "UPDATE store_1.store SET timeline = timeline + 1")
    }

    @Test("a database whose tables were made again from a dump gets new epochs")
    func restoredDump() async throws {
        try await expectNewEpochs(
            after: "CREATE TABLE store_1.dump AS TABLE store_1.store", "DROP TABLE store_1.store",
            "ALTER TABLE store_1.dump RENAME TO store",
            "ALTER TABLE store_1.store ALTER one SET DEFAULT true, ADD PRIMARY KEY (one)")
    }

    /// After these statements, the next store renews the epochs, and the one after it keeps them.
    private func expectNewEpochs(after statements: String...) async throws {
        let cluster = try PostgresCluster()
        let events = Mutex<[PostgresEvent]>([])
        let store = try opened(cluster.newAddress())
        await store.close()
        for statement in statements { try cluster.execute(statement) }
        let second = try opened(cluster.addressOfFirstSchema) { event in events.withLock { $0.append(event) }
        }
        #expect(second.generation != store.generation)
        // The bus sends its first message at any moment.
        let renewals = events.withLock { $0.filter { if case .bus = $0 { false } else { true } } }
        #expect(renewals == [.renewed(.otherCluster)])
        await second.close()
        let third = try opened(cluster.addressOfFirstSchema)
        #expect(third.generation == second.generation)
        await third.close()
    }

    @Test("a database from before the migration that has added `place` keeps its epochs")
    func withoutPlace() async throws {
        let cluster = try PostgresCluster()
        let store = try opened(cluster.newAddress())
        await store.close()
        try cluster.execute("UPDATE store_1.store SET place = 0")
        let second = try opened(cluster.addressOfFirstSchema)
        #expect(second.generation == store.generation)
        await second.close()
    }

    // MARK: Locks

    @Test("a document whose row somebody has locked delays no other document")
    func lockedRow() async throws {
        let cluster = try PostgresCluster()
        let store = try opened(cluster.newAddress())
        var locked = try await TrackedDocument(on: store, "locked")
        try await locked.type("a")
        var others: [TrackedDocument] = []
        for number in 0..<6 { others.append(try await TrackedDocument(on: store, "other \(number)")) }
        let token = try await store.addToken(of: try UserName("ann"), try TokenContractTests.some()).get()
        // Holds the lock until there is a document called "release".
        try cluster.executeInBackground(
            PostgresCluster.block(
                "PERFORM 1 FROM store_1.document WHERE id = 1 FOR UPDATE;",
                until: "EXISTS (SELECT 1 FROM store_1.document WHERE name = 'release')"))
        try cluster.execute(
            PostgresCluster.block(
                until: "EXISTS (SELECT 1 FROM pg_locks JOIN pg_stat_activity USING (pid) "
                    + "WHERE application_name = 'psql' AND pid <> pg_backend_pid() AND mode = 'RowShareLock')"
            ))
        let pending = Shared(3)
        let (append, id, name) = (try locked.letters("b"), locked.entry.id, try DocumentName("renamed"))
        let tag = CaretLog.Tag(name: try #require(TagName("x")), revision: 1, user: "ann", time: 1)
        // Five seconds may pass on a slow machine.
        @Sendable func answer<Answer>(
            of call: () async -> Answer, whileAway isAway: (Answer) -> Bool
        ) async -> Answer {
            while true {
                let answer = await call()
                if !isAway(answer) { return answer }
            }
        }
        try await withThrowingTaskGroup { group in
            group.addTask {
                let outcome = await answer(of: { await store.append(append) }) { $0 == .away }
                #expect(outcome == .committed(head: 2))
                pending.change { $0 -= 1 }
            }
            group.addTask {
                let result = await answer(of: { await store.rename(id, to: name) }) { $0 == .refused(.away) }
                #expect(result == .renamed)
                pending.change { $0 -= 1 }
            }
            group.addTask {
                let result = await answer(of: { await store.addTag(tag, to: id) }) {
                    $0 == .refused(.refused(.away))
                }
                #expect(result == .tagged)
                pending.change { $0 -= 1 }
            }
            for _ in 0..<5 {
                for index in others.indices { try await others[index].type("x") }
                #expect(try await store.token(shown: token.bytes).get().user == UserName("ann"))
                #expect(try await store.find(locked.entry.name).get().head == 1)
                _ = try await TrackedDocument(on: store, "new \(UInt32.random(in: .min ... .max))")
            }
            // All of that went on while the lock was held.
            #expect(pending.value == 3)
            _ = try await TrackedDocument(on: store, "release")
            try await group.waitForAll()
        }
        await store.close()
    }

    @Test("an append to a locked document is refused after five seconds, and not acked later")
    func lockedForLong() async throws {
        let cluster = try PostgresCluster()
        let store = try opened(cluster.newAddress())
        var locked = try await TrackedDocument(on: store)
        try await locked.type("a")
        try cluster.executeInBackground(
            "SELECT id FROM store_1.document FOR UPDATE; SELECT pg_sleep(3600)")
        var outcome = await store.append(try locked.letters("b"))
        while outcome == .committed(head: locked.head.next) {
            // The lock was not taken yet.
            try locked.follow(try locked.letters("b"))
            outcome = await store.append(try locked.letters("b"))
        }
        #expect(outcome == .away)
        try cluster.execute(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query LIKE '%pg_sleep(3600)%' "
                + "AND pid <> pg_backend_pid()")
        try await locked.type("c")
        #expect(try await store.text(of: locked.entry.id).get().text == locked.text)
        await store.close()
    }

    // MARK: Clocks

    @Test("a clock that is wrong by days is reported, and not used")
    func wrongClock() async throws {
        let cluster = try PostgresCluster()
        let address = try PostgresAddress(cluster.newAddress())
        let (right, ahead) = (StoreSettings().now, 40 * StoreSettings.day)
        var settings = StoreSettings()
        settings.now = { right() + ahead }
        settings.roundEvery = .milliseconds(10)
        let events = Shared<[PostgresEvent]>([])
        let store = try PostgresStore(address, node: "test", allowsUnreplicated: true, settings: settings) {
            event in
            events.change { $0.append(event) }
        }
        let reported = events.value.compactMap {
            if case .clockDiffers(let ahead) = $0 { ahead } else { nil }
        }
        #expect(reported.count == 1 && abs(reported[0] - ahead) < 60_000)
        #expect(abs(store.now - right()) < 60_000)
        var documents: [DocumentID] = []
        // The second one was deleted so long ago that rounds purge it.
        for (name, time) in [("new", right()), ("old", right() - 40 * StoreSettings.day)] {
            let document = try await TrackedDocument(on: store, name)
            _ = await store.delete(document.entry.id, at: time)
            documents.append(document.entry.id)
        }
        for _ in 0..<1_000 where !events.value.contains(.purged(documents[1])) {
            try await Task.sleep(for: .milliseconds(10))
        }
        #expect(events.value.contains(.purged(documents[1])) && !events.value.contains(.purged(documents[0])))
        guard case .undeleted = await store.undelete(documents[0]) else {
            throw Unexpected(what: "the document was purged")
        }
        await store.close()
    }

    @Test("a clock that is set while the server runs is reported once")
    func clockSetLater() async throws {
        let cluster = try PostgresCluster()
        let (right, ahead) = (StoreSettings().now, Shared<Int64>(0))
        var settings = StoreSettings()
        settings.now = { right() + ahead.value }
        let events = Shared<[PostgresEvent]>([])
        let store = try PostgresStore(
            PostgresAddress(cluster.newAddress()), node: "test", allowsUnreplicated: true, settings: settings
        ) { event in events.change { $0.append(event) } }
        func differs() -> Int { events.value.count { if case .clockDiffers = $0 { true } else { false } } }
        #expect(differs() == 0)
        ahead.change { $0 = -20_000 }
        for round in 1..<1_000 where differs() == 0 {
            store.bus?.report(NodeReport(address: "", version: "\(round)", started: 1))
            try await Task.sleep(for: .milliseconds(10))
        }
        for round in 1..<20 {
            store.bus?.report(NodeReport(address: "", version: "again \(round)", started: 1))
            try await Task.sleep(for: .milliseconds(10))
        }
        #expect(differs() == 1)
        // Differences of less than a minute are only reported.
        #expect(store.now < right() - 15_000)
        await store.close()
    }

    // MARK: Damage

    @Test("a damaged history is found, and only its document is closed")
    func damage() async throws {
        let cluster = try PostgresCluster()
        let store = try opened(cluster.newAddress())
        var document = try await TrackedDocument(on: store)
        try await document.type("abc")
        var other = try await TrackedDocument(on: store, "other")
        try cluster.execute(
            "UPDATE store_1.segment SET body = set_byte(body, length(body) - 1, 120) WHERE document = 1 AND first = 2"
        )
        #expect(refusal(await store.text(of: document.entry.id)) == .refused(.damaged))
        let append = try document.append([SampleChange.edit(0, 0, "x")], seq: 9)
        #expect(await store.append(append) == .documentDamaged)
        try await other.type("x")
        let report = try await store.check(nil, progress: { _ in })
        #expect(report.findings.map(\.document) == [document.entry.id])
        #expect(report.findings.map(\.fault) == [.history])
        await store.close()
    }

    private func opened(
        _ address: String, as node: String = "test", patience: Int32 = 10_000,
        migrations: [PostgresMigration] = PostgresMigration.all,
        onEvent: @escaping @Sendable (PostgresEvent) -> Void = { _ in }
    ) throws -> PostgresStore {
        try PostgresStore(
            PostgresAddress(address), node: node, allowsUnreplicated: true, patience: patience,
            migrations: migrations, onEvent: onEvent)
    }
}

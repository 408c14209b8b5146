import Glibc
import TestSupport
import Testing

/// Without PostgreSQL on this machine, `PostgresStoreTests` has a failing test that says so.
@Suite(
    "A server over PostgreSQL", .onOwnThread, .serialized,
    .enabled(if: (try? PostgresCluster.shared.get()) != nil))
struct PostgresTests {
    private enum Fault: CaseIterable {
        case serverKilled
        case databaseCrashes
        case connectionsEnd
        case databaseStandsStill
    }

    @Test("a server that is started while PostgreSQL is away waits for it, says so, and can be stopped")
    func startsLater() throws {
        let cluster = try PostgresCluster()
        let options = ["--store": cluster.newAddress(), "--allow-unreplicated": "true"]
        let scratch = try Scratch.inMemory()
        let command = LiveServer.command(options, in: scratch)
        try cluster.stop()
        for isStopped in [true, false] {
            let program = try Program(command)
            try wait(for: #/ warning event=store_away fault=/#, of: program)
            if !isStopped {
                try cluster.start()
                try wait(for: #/ event=store_back$/#, of: program)
                try wait(for: #/ event=ready$/#, of: program)
            }
            program.kill(SIGTERM)
            #expect(try program.waitForExit().status == 0)
        }
        withExtendedLifetime(scratch) {}
    }

    private func wait(for line: some RegexComponent, of program: Program) throws {
        while let next = try program.errors.next() {
            if next.contains(line) { return }
        }
        throw Unexpected("the server ended without logging the expected line")
    }

    @Test(
        "neither kills nor lost connections lose or repeat an acked push",
        arguments: Transport.lines(and: .webSocket))
    func faults(transport: Transport) throws {
        let cluster = try PostgresCluster()
        let group = EditorGroup(30, documents: 5, over: [transport])
        let options = ["--store": cluster.newAddress(), "--allow-unreplicated": "true"]
        var server = try LiveServer(options, over: transport)
        let rounds = Seeds.share(of: 100, everyCommit: 8)
        for round in 0..<rounds {
            try group.connect(to: server)
            let enough = group.acks + 100
            try group.work { $0.acks >= enough }
            switch Fault.allCases[round % Fault.allCases.count] {
            case .serverKilled:
                try server.kill()
                try group.workUntilDisconnected()
                server = try server.startAgain()
                try HistoryComparison.onAll(of: group, at: server)
            case .databaseCrashes:
                try cluster.stop("QUIT")
                try group.work(forAtMost: 200)
                try cluster.start()
            case .connectionsEnd:
                let own = "pg_stat_activity WHERE application_name = 'caretd'"
                try cluster.execute("SELECT pg_terminate_backend(pid) FROM \(own)")
            case .databaseStandsStill:
                try cluster.signal("STOP")
                try group.work(forAtMost: 300)
                try cluster.signal("CONT")
            }
            try group.connect(to: server)
            let more = group.acks + 20
            try group.work { $0.acks >= more }
        }
        try group.connect(to: server)
        try group.waitForAcks()
        let revisions = try HistoryComparison.onAll(of: group, at: server)
        #expect(revisions == group.acks)
        #expect(try server.stop().status == 0)
        print(
            "PostgreSQL: \(rounds) faults, \(group.acks) acks, \(revisions) revisions, \(group.storageFailures) times "
                + "storage_failed, nothing lost or doubled"
        )
    }

    @Test("an outage is logged once when it begins and once when it ends, whatever is used after it")
    func outages() throws {
        let cluster = try PostgresCluster()
        let server = try LiveServer(["--store": cluster.newAddress(), "--allow-unreplicated": "true"])
        let client = try server.openConnection()
        /// Uses all connections but one to the database.
        func useAll() throws {
            #expect(try client.fetch("POST /append/a?create=1", body: "x").status == 200)
            #expect(try client.fetch("POST /append/b?create=1", body: "x").status == 200)
            #expect(try client.fetch("GET /docs/a?rev=1").status == 200)
            #expect(try client.fetch("GET /history/a").status == 200)
            #expect(try client.fetch("PUT /docs/c\(outage)", "If-None-Match: *", body: "x").status == 201)
        }
        var outage = 0
        try useAll()
        for number in 1...2 {
            outage = number
            try cluster.stop("QUIT")
            try client.send("POST /append/a", [], body: "x")
            try server.waitForLog(/event=store_away/)
            try cluster.start()
            // The server may have lost its patience before.
            while try client.response().status != 200 { try client.send("POST /append/a", [], body: "x") }
            try useAll()
            try server.waitForLog(/event=store_back/)
        }
        #expect(try server.stop().errors.filter { $0.contains("event=store_") } == [])
        #expect(server.logLines.count { $0.contains("event=store_away") } == 2)
        #expect(server.logLines.count { $0.contains("event=store_back") } == 2)
    }

    @Test("`/metrics` says how many news were sent, and how long the oldest ones have waited")
    func unsentAge() throws {
        let cluster = try PostgresCluster()
        let server = try LiveServer(["--store": cluster.newAddress(), "--allow-unreplicated": "true"])
        let reader = try server.openConnection()
        func metric(_ name: String) throws -> Int {
            let lines = try reader.fetch("GET /metrics").body.split(separator: "\n")
            let line = try #require(lines.first { $0.hasPrefix(name + " ") })
            return try #require(Int(line.dropFirst(name.count + 1)))
        }
        // News of a document go only to servers that have it open. All servers must know which clients have joined.
        let bob = try server.connect()
        try bob.greet(as: "client-of-bob")
        while try metric("caret_news_sent_total") == 0 || metric("caret_news_age_ms") > 0 {}
        try cluster.stop("QUIT")
        let ann = try server.connect()
        try ann.greet(as: "client-of-ann")
        while try metric("caret_news_age_ms") == 0 {}
        try cluster.start()
        while try metric("caret_news_age_ms") > 0 {}
        #expect(try metric("caret_news_heard_total") == 0)
        #expect(try server.stop().status == 0)
    }

    @Test("a server makes at most five connections to PostgreSQL, and uses all of them")
    func connections() throws {
        let cluster = try PostgresCluster()
        // Notes the highest number of connections, until there is a row in `used`.
        try cluster.execute("CREATE TABLE public.counted (most bigint); CREATE TABLE public.used ()")
        try cluster.executeInBackground(
            "DO $$DECLARE most bigint := 0; BEGIN LOOP PERFORM pg_stat_clear_snapshot(); "
                + "most := greatest(most, (SELECT count(*) FROM pg_stat_activity WHERE application_name = 'caretd')); "
                + "EXIT WHEN EXISTS (SELECT 1 FROM public.used); PERFORM pg_sleep(0.001); END LOOP; "
                + "INSERT INTO public.counted VALUES (most); END$$")
        let server = try LiveServer(["--store": cluster.newAddress(), "--allow-unreplicated": "true"])
        let (client, admin) = (try server.openConnection(), try LineClient(server, at: .adminSocket))
        try admin.send(#"{"type":"hello","protocol":1,"client":"client-of-admin"}"#)
        try admin.expect(#"{"type":"welcome",…"#)
        let group = EditorGroup(8, documents: 4, over: [.lines])
        try group.connect(to: server)
        for round in 1...10 {
            // Upkeep merges the segments of a document after 64 appends.
            let enough = group.acks + 200
            try group.work { $0.acks >= enough }
            #expect(try client.fetch("PUT /docs/new\(round)", "If-None-Match: *", body: "x").status == 201)
            #expect(try client.fetch("GET /docs/new\(round)").status == 200)
            #expect(try client.fetch("GET /docs/new1?rev=1").status == 200)
            #expect(try client.fetch("GET /history/new\(round)").status == 200)
            #expect(try client.fetch("GET /docs").status == 200)
            try admin.send(#"{"type":"verify","doc":"new\#(round)"}"#)
            try admin.expect(#"{"type":"verified",…"#)
        }
        try cluster.execute("INSERT INTO public.used DEFAULT VALUES")
        try cluster.execute(PostgresCluster.block(until: "EXISTS (SELECT 1 FROM public.counted)"))
        // Fails with another number.
        #expect(throws: Never.self) {
            try cluster.execute("SELECT 1 / (most = 5)::int FROM public.counted")
        }
        #expect(try server.stop().status == 0)
    }

    @Test("a connection that was closed while it was idle is made again before a call")
    func idleConnections() throws {
        let cluster = try PostgresCluster()
        let server = try LiveServer(["--store": cluster.newAddress(), "--allow-unreplicated": "true"])
        let client = try server.openConnection()
        for _ in 0..<5 {
            #expect(try client.fetch("POST /append/a?create=1", body: "x").status == 200)
            try cluster.execute(
                "SELECT pg_terminate_backend(pid, 60000) FROM pg_stat_activity WHERE application_name = 'caretd'"
            )
        }
        let text = try client.fetch("GET /docs/a")
        #expect(text.body.count { $0 == "x" } == 5, "\(text)")
        #expect(try server.stop().errors.filter { $0.contains("event=store_away") } == [])
    }

    @Test("a database without a synchronous standby is refused, with what to do")
    func unreplicated() throws {
        let address = try PostgresCluster.shared.get().newAddress()
        let scratch = try Scratch.inMemory()
        let program = try Program(LiveServer.command(["--store": address], in: scratch))
        var lines: [String] = []
        while let line = try program.errors.next() { lines.append(line) }
        #expect(try program.waitForExit().status == 1)
        #expect(lines.contains { $0.contains("allow_unreplicated") || $0.contains("--allow-unreplicated") })
    }
}

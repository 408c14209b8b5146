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

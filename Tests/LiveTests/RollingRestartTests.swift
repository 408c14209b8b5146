import Glibc
import TestSupport
import Testing

/// Without PostgreSQL on this machine, `PostgresStoreTests` has a failing test that says so.
@Suite(
    "Restarting one server after the other", .onOwnThread, .serialized,
    .enabled(if: (try? PostgresCluster.shared.get()) != nil))
struct RollingRestartTests {
    /// Rule E5. An editor throws if it receives an error, or another `bye` than the one that the server sends when it
    /// stops.
    @Test(
        "a rolling restart of three servers loses and repeats nothing, and editors only see the announced bye"
    )
    func restarts() throws {
        let address = try PostgresCluster.shared.get().newAddress()
        var servers = try ["a", "b", "c"].map {
            try LiveServer(["--store": address, "--node": $0, "--allow-unreplicated": "true"])
        }
        let group = EditorGroup(36, documents: 4, over: [.lines, .webSocket])
        group.servers = servers
        let rounds = Seeds.share(of: 20, everyCommit: 2)
        for _ in 0..<rounds {
            for index in servers.indices {
                let enough = group.acks + 100
                try group.work { $0.acks >= enough }
                servers[index].program.kill(SIGTERM)
                try group.work { $0.connectedCount(to: servers[index]) == 0 }
                #expect(try servers[index].program.waitForExit().status == 0)
                servers[index] = try servers[index].startAgain()
                group.servers = servers
            }
        }
        try group.waitForChanges()
        group.compareTexts()
        for server in servers { #expect(try HistoryComparison.onAll(of: group, at: server) == group.acks) }
        #expect(group.endsWithoutBye == 0 && group.storageFailures == 0)
        for server in servers { #expect(try server.stop().status == 0) }
        print("Rolling restart: \(rounds) rounds, \(group.acks) acks on 3 servers, nothing lost or doubled")
    }
}

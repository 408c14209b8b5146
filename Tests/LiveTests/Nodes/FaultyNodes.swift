import Glibc
import TestSupport
import Testing

/// Three servers over a primary with two standbys, and the editors that use them, while faults happen.
final class FaultyNodes {
    let cluster: ReplicatedCluster
    let group: EditorGroup
    private(set) var servers: [LiveServer] = []
    private var random: Seeded

    private static let names = ["a", "b", "c"]

    private let isUnreplicated: Bool

    init(over cluster: ReplicatedCluster, _ group: EditorGroup, unreplicated: Bool = false, seed: UInt64)
        throws
    {
        (self.cluster, self.group, isUnreplicated) = (cluster, group, unreplicated)
        random = Seeded(seed)
        for name in FaultyNodes.names { servers.append(try newServer(name, in: name)) }
        group.servers = servers
    }

    /// A server in the network namespace of a node.
    private func newServer(_ name: String, in node: String) throws -> LiveServer {
        let options = [
            "--store": cluster.address, "--node": name, "--allow-unreplicated": "\(isUnreplicated)",
        ]
        return try LiveServer(
            options, through: cluster.wrapper(of: node), isElsewhere: cluster.hasNetwork)
    }

    // MARK: Checks

    /// Lets the editors work until so many more pushes are acked.
    func work(acks count: Int) throws {
        try group.goOn()
        let enough = group.acks + count
        try group.work { $0.acks >= enough }
    }

    /// Waits until all editors at all servers have the same text, and compares each server's histories with the acks.
    /// Returns how long the editors took.
    func settle() throws -> Duration {
        let began = ContinuousClock.now
        try group.waitForChanges()
        let took = ContinuousClock.now - began
        group.compareTexts()
        for server in servers {
            #expect(try HistoryComparison.onAll(of: group, at: server) == group.acks)
            try server.readLog()
        }
        return took
    }

    /// Expects that nothing is acked while the primary reaches none of its standbys. What the standbys had confirmed
    /// before is acked first.
    private func expectNoAcks(for time: Duration) throws {
        try group.work(untilSilentFor: 1_000)
        let known = group.acks
        try group.work(for: time)
        #expect(group.acks == known, "pushes were acked by a primary without its standbys")
    }

    // MARK: Faults

    /// Lets a fault happen and end. Returns why it is not possible here; nil if it is.
    func happen(_ fault: NodeFault) throws -> String? {
        let index = random.number(0...2)
        switch fault {
        case .serverKilled: try kill(index)
        case .serverStopped: try stop(index)
        case .primaryCrashes: try failOver()
        case .primaryIsolated: try isolatePrimary()
        case .standbysUnreachable: try loseStandbys()
        case .waitsCancelled: try cancelWaits()
        case .listEmptied: try emptyList()
        case .rowLocked: try lockRow()
        case .nameTaken: try takeName(index)
        case .standbyCrashes: try crashStandby()
        case .busesMuted: try muteBuses()
        case .cutFromPrimary: try cutFromPrimary(index)
        case .cutFromDatabase: try cutFromDatabase(index)
        case .packetsDelayed: return try delayPackets()
        }
        return nil
    }

    /// A time in milliseconds: `short` in the run of each commit, and between 0 and `long` in a full run.
    private func milliseconds(_ short: Int, atMost long: Int) -> Duration {
        .milliseconds(Seeds.isFullRun ? random.number(0...long) : short)
    }

    /// Keeps the editors away from a server while `body` runs. Afterwards the server gets editors again.
    private func without(_ index: Int, _ body: () throws -> Void) throws {
        let others = servers.indices.filter { $0 != index }.map { servers[$0] }
        group.servers = others
        group.leave(servers[index])
        try work(acks: 50)
        try body()
        group.servers = servers
        group.leave(others[0])
    }

    private func kill(_ index: Int) throws {
        try servers[index].kill()
        try without(index) { servers[index] = try servers[index].startAgain() }
    }

    /// A server is killed after it was cut from PostgreSQL for so long that no packet will tell its end.
    func killAfterCut(_ index: Int) throws {
        try cluster.cut(FaultyNodes.names[index], from: [1, 2, 3])
        try without(index) {
            try group.work(for: .seconds(8))
            try servers[index].kill()
            try cluster.join(FaultyNodes.names[index], to: [1, 2, 3])
            servers[index] = try servers[index].startAgain()
        }
    }

    private func stop(_ index: Int) throws {
        servers[index].program.kill(SIGSTOP)
        defer { servers[index].program.kill(SIGCONT) }
        try without(index) {
            try group.work(for: milliseconds(700, atMost: 30_000))
            servers[index].program.kill(SIGCONT)
        }
    }

    private func failOver() throws {
        try cluster.crashPrimary()
        try group.work(for: milliseconds(200, atMost: 2_000))
        try cluster.promote()
        try work(acks: 50)
        try cluster.restoreFormerPrimary()
    }

    /// In a full run, the former primary often goes on to accept connections after another one took over.
    private func isolatePrimary() throws {
        try cluster.isolatePrimary()
        try expectNoAcks(for: milliseconds(1_000, atMost: 5_000))
        let isFenced = !Seeds.isFullRun || random.chance(50)
        if isFenced { try cluster.crashPrimary() }
        try cluster.promote()
        try work(acks: 50)
        try cluster.restoreFormerPrimary(wasIsolated: true)
    }

    private func loseStandbys() throws {
        try cluster.isolatePrimary()
        try expectNoAcks(for: milliseconds(500, atMost: 20_000))
        try cluster.rejoinPrimary()
        try work(acks: 20)
    }

    /// The commits that were cancelled are on the primary only. If one of them is acked, another primary lacks it.
    private func cancelWaits() throws {
        try cluster.isolatePrimary()
        try group.work(untilSilentFor: 1_000)
        let known = group.acks
        var cancelled = 0
        while cancelled == 0 {
            try group.work(for: .milliseconds(100))
            cancelled = try cluster.cancelWaitingCommits()
        }
        try group.work(for: milliseconds(500, atMost: 5_000))
        #expect(group.acks == known, "pushes were acked whose wait for a standby was cancelled")
        try endIsolation(failsOver: !Seeds.isFullRun || random.chance(50))
    }

    /// An operator in a hurry makes the commits that wait done. They are on one disk, and readers see them. So no standby
    /// takes over here: all epochs would be renewed, and these editors cannot load their texts again.
    private func emptyList() throws {
        try cluster.isolatePrimary()
        try group.work(untilSilentFor: 1_000)
        let known = group.acks
        try cluster.emptyList()
        try group.work(for: milliseconds(500, atMost: 5_000))
        #expect(group.acks == known, "pushes were acked although there is no list of standbys")
        try cluster.fillList()
        try endIsolation(failsOver: false)
    }

    /// The primary returns, or a standby takes over.
    private func endIsolation(failsOver: Bool) throws {
        if failsOver {
            try cluster.crashPrimary()
            try cluster.promote()
        } else {
            try cluster.rejoinPrimary()
        }
        try work(acks: 20)
        if failsOver { try cluster.restoreFormerPrimary(wasIsolated: true) }
    }

    /// Documents whose rows are free go on meanwhile.
    private func lockRow() throws {
        try cluster.lockRow()
        try work(acks: 100)
    }

    /// The server that was cut goes on under another name when it is back.
    private func takeName(_ index: Int) throws {
        let (name, neighbour) = (FaultyNodes.names[index], FaultyNodes.names[(index + 1) % 3])
        try cluster.cut(name, from: [1, 2, 3])
        try without(index) {
            // Until PostgreSQL has noticed the cut, and the name is free.
            try group.work(for: .seconds(8))
            let other = try newServer(name, in: neighbour)
            try cluster.join(name, to: [1, 2, 3])
            try servers[index].waitForLog(#/ error event=name_lost fault=/#)
            try work(acks: 50)
            #expect(try servers[index].stop().status == 0)
            #expect(try other.stop().status == 0)
            servers[index] = try newServer(name, in: name)
        }
    }

    private func crashStandby() throws {
        let standby = random.pick(try cluster.standbys())
        try cluster.crashStandby(standby)
        try work(acks: 50)
        try cluster.startStandby(standby)
    }

    /// The servers find each other's changes without being told.
    private func muteBuses() throws {
        #expect(try cluster.muteBuses() > 0)
        try work(acks: 50)
        try group.waitForChanges()
        group.compareTexts()
        try cluster.unmuteBuses()
        try cluster.endBuses()
    }

    /// Editors of the other servers go on.
    private func cutFromPrimary(_ index: Int) throws {
        let (node, primary) = (FaultyNodes.names[index], try cluster.primary())
        try cluster.cut(node, from: [primary])
        try group.work(for: milliseconds(1_500, atMost: 12_000))
        try work(acks: 20)
        try cluster.join(node, to: [primary])
    }

    /// A server that reaches no PostgreSQL says so to a new client. Its editors wait for the outcome of their pushes, and
    /// give up later. Editors of the other servers go on.
    private func cutFromDatabase(_ index: Int) throws {
        let node = FaultyNodes.names[index]
        try cluster.cut(node, from: [1, 2, 3])
        let visitor = try servers[index].connect()
        try visitor.greet(as: "visitor-client")
        try visitor.send(#"{"type":"open","doc":"doc-0"}"#)
        try work(acks: 50)
        // Meanwhile the editors do nothing, so that the histories to compare stay short.
        try visitor.expect(
            #"{"type":"error","doc":"doc-0","code":"storage_failed",…,"retry_after_ms":1000}"#)
        group.leave(servers[index])
        try work(acks: 20)
        try cluster.join(node, to: [1, 2, 3])
    }

    private func delayPackets() throws -> String? {
        if let obstacle = try cluster.delayPackets() { return obstacle }
        try work(acks: 100)
        try cluster.stopDelaying()
        return nil
    }
}

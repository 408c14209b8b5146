import Glibc
import TestSupport
import Testing

@Suite("A server under load", .onOwnThread, .serialized) struct LoadTests {
    /// Rules P1 and P8.
    @Test("kill -9 loses no acked push and doubles none; the restart is fast")
    func killed() throws {
        let crowd = Crowd(50, documents: 5)
        var server = try LiveServer(in: .onDisk())
        var (random, slowest) = (Seeded(5), Duration.zero)
        let rounds = Seeds.share(of: 50, everyCommit: 3)
        for _ in 0..<rounds {
            let enough = crowd.acks + 100 + random.number(0...200)
            try crowd.connect(to: server)
            try crowd.work { $0.acks >= enough }
            try server.killed()
            try crowd.workToTheEnd()
            server = try server.again()
            slowest = max(slowest, server.startup)
            try Verdict.onAll(of: crowd, at: server)
        }
        let revisions = try settled(crowd, at: server)
        // A machine that runs other work too cannot keep this bound.
        if Seeds.areWhole { #expect(slowest < .seconds(2)) }
        print(
            "kill -9: \(rounds) rounds, 50 clients, \(crowd.acks) acks, \(revisions) revisions, nothing lost or doubled; ready again after at most \(slowest)"
        )
    }

    /// Rule E5.
    @Test("SIGTERM acks saved pushes, sends every client bye, loses nothing")
    func stopped() throws {
        let crowd = Crowd(50, documents: 5)
        var server = try LiveServer(in: .onDisk())
        var slowest = Duration.zero
        let rounds = Seeds.share(of: 20, everyCommit: 3)
        for round in 0..<rounds {
            let enough = crowd.acks + 100
            try crowd.connect(to: server)
            try crowd.work { $0.acks >= enough }
            let began = ContinuousClock.now
            server.program.kill(SIGTERM)
            try crowd.workToTheEnd()
            #expect(try server.program.ended().status == 0, "round \(round)")
            slowest = max(slowest, ContinuousClock.now - began)
            let untold = crowd.editors.filter { !$0.wasToldGoodbye }.map(\.number)
            #expect(untold == [], "round \(round)")
            server = try server.again()
            try Verdict.onAll(of: crowd, at: server)
        }
        let revisions = try settled(crowd, at: server)
        print(
            "SIGTERM: \(rounds) rounds, 50 clients, \(crowd.acks) acks, \(revisions) revisions, nothing lost or doubled; over after at most \(slowest)"
        )
    }

    @Test("a server suspended for a while keeps its clients, loses nothing")
    func standingStill() throws {
        let crowd = Crowd(50, documents: 5)
        let server = try LiveServer()
        try crowd.connect(to: server)
        try crowd.work { $0.acks >= 100 }
        server.program.kill(SIGSTOP)
        try crowd.work(untilSilentFor: Seeds.areWhole ? 5_000 : 500)
        let enough = crowd.acks + 100
        server.program.kill(SIGCONT)
        try crowd.work { $0.acks >= enough }
        #expect(crowd.present == 50)
        try settled(crowd, at: server)
    }

    @Test("thousands of silent connections do not keep others from service")
    func flood() throws {
        let crowd = Crowd(50, documents: 5)
        let server = try LiveServer()
        try crowd.connect(to: server)
        try crowd.work { $0.acks >= 100 }
        let (count, before, began) = (
            Seeds.share(of: 20_000, everyCommit: 2_000), crowd.acks, ContinuousClock.now
        )
        var silent: [Vanishing] = []
        for number in 0..<count {
            silent.append(try Vanishing(server))
            // At most 1,000 are open at a time.
            if silent.count == 1_000 { silent.removeFirst(500) }
            if number % 50 == 0 { try crowd.work(forAtMost: 1) }
        }
        let (during, took) = (crowd.acks - before, ContinuousClock.now - began)
        silent = []
        #expect(during > 0)
        let enough = crowd.acks + 100
        try crowd.work { $0.acks >= enough }
        #expect(crowd.present == 50)
        try settled(crowd, at: server)
        print("flood: \(count) connections in \(took), and \(during) acks meanwhile")
    }

    /// Lets the editors resend their unanswered pushes, and checks that each is saved once. Returns the
    /// number of revisions.
    @discardableResult
    private func settled(_ crowd: Crowd, at server: LiveServer) throws -> Int {
        try crowd.connect(to: server)
        try crowd.settle()
        let revisions = try Verdict.onAll(of: crowd, at: server)
        #expect(revisions == crowd.acks)
        return revisions
    }
}

/// A connection that sends nothing and ends with a reset.
private final class Vanishing {
    private let descriptor: Int32

    init(_ server: LiveServer) throws { descriptor = try Address.loopback(port: server.port).connected() }

    deinit {
        var linger = linger(l_onoff: 1, l_linger: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &linger, socklen_t(MemoryLayout.size(ofValue: linger)))
        close(descriptor)
    }
}

package import CaretReplica

/// Which of several servers a client connects to next, and when.
///
/// The client tries its servers in a fixed order. A round tries each server once, and within a round the
/// client goes on to the next server at once. After a round without success it waits, and every such round
/// makes the next wait longer. With one server, every failure ends a round.
package struct ServerRotation: Equatable, Sendable {
    /// What to do after a failure.
    package enum Step: Equatable, Sendable {
        /// Try `current` at once.
        case tryNext
        /// The round is over. Try `current` after this delay.
        case wait(Milliseconds)
    }

    private struct Failure: Equatable, Sendable {
        let reason: String
        /// How long the server asked the client to wait.
        let retryAfter: Milliseconds?
    }

    /// How long one attempt to connect may take.
    package static let longestAttempt: Milliseconds = 10_000
    /// How long an attempt may take if the round has another server to try. A server that was switched off
    /// does not answer, and a user should not wait ten seconds for it. A slow network needs longer, so the
    /// last attempt of a round has the full time.
    package static let shortAttempt: Milliseconds = 3_000
    /// A connection that has lasted for this time begins a new round. So even if every server ends each
    /// connection soon, the client connects no more often than with one server.
    private static let lastingConnection = Backoff.first

    /// The servers as the program listed them, each one once.
    package let servers: [ServerAddress]
    /// The indices of `servers` in the order in which they are tried.
    private let order: [Int]
    /// The index of `current` in `order`.
    private var position = 0
    /// What failed in this round, by the index of the server.
    private var failures: [Int: Failure] = [:]
    private var backoff = Backoff()

    /// Tries the servers in the order of the list. Repeated servers are tried once.
    package init(_ servers: [ServerAddress]) { self.init(servers) { Array($0) } }

    /// `reordered` returns the same indices in the order in which their servers are tried.
    package init(_ servers: [ServerAddress], reordered: (Range<Int>) -> [Int]) {
        precondition(!servers.isEmpty, "a client needs the address of at least one server")
        var known: Set<ServerAddress> = []
        self.servers = servers.filter { known.insert($0).inserted }
        order = reordered(self.servers.indices)
        precondition(order.sorted().elementsEqual(self.servers.indices), "the order is \(order)")
    }

    /// The server that the client is connected to, or tries next.
    package var current: ServerAddress { servers[order[position]] }

    /// How long the attempt to connect to `current` may take.
    package var attemptTimeout: Milliseconds {
        failures.count + 1 < servers.count ? ServerRotation.shortAttempt : ServerRotation.longestAttempt
    }

    package mutating func welcomed() { backoff.reset() }

    /// Called when a connection ends that was welcomed, before `failed`.
    package mutating func connectionEnded(after duration: Milliseconds) {
        if duration >= ServerRotation.lastingConnection { failures = [:] }
    }

    /// The client could not connect to `current`, or its connection has ended. The next server is `current`
    /// then.
    package mutating func failed(
        _ reason: String, retryAfter: Milliseconds? = nil, _ jitter: Jitter
    ) -> Step {
        failures[order[position]] = Failure(reason: reason, retryAfter: retryAfter)
        position = (position + 1) % order.count
        if failures.count < servers.count { return .tryNext }
        // A server that asked for a long delay does not delay the attempts to connect to the others.
        let requested = failures.values.map { $0.retryAfter ?? 0 }.min() ?? 0
        failures = [:]
        let delay = max(jitter.applied(to: backoff.nextDelay()), requested)
        return .wait(min(delay, Backoff.longestRequested))
    }

    /// Why the client cannot connect, if `current` fails for this reason: the failures of the whole round if
    /// they end it.
    package func fault(afterFailure reason: String) -> ConnectionFault {
        var reasons = failures.mapValues(\.reason)
        reasons[order[position]] = reason
        if servers.count == 1 || reasons.count < servers.count {
            return .unreachable(current, reason: reason)
        }
        return .allUnreachable(
            reasons.sorted { $0.key < $1.key }.map { index, reason in
                UnreachableServer(address: servers[index], reason: reason)
            })
    }
}

import CaretClient
import FoundationEssentials
import Synchronization

/// Readings of a server's counters as they come. It asks again after the connection was lost, and says so meanwhile.
final class TopFeed: Sendable {
    private struct State {
        var reading: TopReading?
        var isConnected = true
        var isEnded = false
    }

    private let client: LiveClient
    private let interval: Duration
    private let state = Mutex(State())

    /// An answer that takes longer than that is one that does not come.
    private static let patience = Duration.seconds(1)

    init(_ client: LiveClient, every interval: Duration) {
        (self.client, self.interval) = (client, interval)
    }

    /// The latest one; nil before the first.
    var reading: TopReading? { state.withLock { $0.reading } }
    /// Whether the server answers.
    var isConnected: Bool { state.withLock { $0.isConnected } }
    /// No other reading will come.
    var isEnded: Bool { state.withLock { $0.isEnded } }

    /// Takes so many readings. `changed` is called after each one, and where the server does not answer any more.
    func run(count: Int, changed: @escaping @Sendable () -> Void) async throws {
        defer {
            state.withLock { $0.isEnded = true }
            changed()
        }
        for number in 0..<count {
            if number > 0 { try await Task.sleep(for: interval) }
            let reading = try await next(changed)
            state.withLock { state in
                (state.reading, state.isConnected) = (reading, true)
                // In the same step, so that whoever sees the last one sees that it is the last.
                state.isEnded = number == count - 1
            }
            changed()
        }
    }

    private func next(_ changed: @escaping @Sendable () -> Void) async throws -> TopReading {
        let alarm = Task { [self] in
            try await Task.sleep(for: TopFeed.patience)
            state.withLock { $0.isConnected = false }
            changed()
        }
        defer { alarm.cancel() }
        while true {
            do {
                return TopReading(try await client.counters(), at: .now, after: reading)
            } catch ConnectionFault.lost {
                // What is asked now waits for the next connection.
                continue
            }
        }
    }
}

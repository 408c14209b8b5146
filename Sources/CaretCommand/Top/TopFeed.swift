import CaretClient
import FoundationEssentials
import Synchronization

/// Reads the counters of a server at intervals. After a lost connection it reports the loss, and reads again
/// when it is connected.
final class TopFeed: Sendable {
    private struct State {
        var reading: TopReading?
        var isConnected = true
        var isEnded = false
    }

    private let client: LiveClient
    private let interval: Duration
    private let state = Mutex(State())

    /// After this time without an answer the server counts as disconnected.
    private static let patience = Duration.seconds(1)

    init(_ client: LiveClient, every interval: Duration) {
        (self.client, self.interval) = (client, interval)
    }

    /// The latest reading; nil before the first one.
    var reading: TopReading? { state.withLock { $0.reading } }
    /// Whether the server answers.
    var isConnected: Bool { state.withLock { $0.isConnected } }
    /// Whether there will be no more readings.
    var isEnded: Bool { state.withLock { $0.isEnded } }

    /// Takes `count` readings. Calls `changed` after each reading, and when the server stops answering.
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
                // `isEnded` is set together with the last reading, so that other code never sees only one of
                // the two changes.
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
                // The next request waits until the client is connected again.
                continue
            }
        }
    }
}

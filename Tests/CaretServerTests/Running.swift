import CaretServer
import Dispatch
import Glibc
import Synchronization
import Testing

/// Loops with a listener, for a test.
struct Running: Sendable {
    let loops: [Loop]
    let listener: Listener

    var address: SocketAddress { listener.address }

    static let anyPort = SocketAddress.ip4(0x7F00_0001, port: 0)

    /// The counters of all loops.
    func counters() async -> LoopCounters {
        var sum = LoopCounters()
        for loop in loops {
            if let counters = await loop.result({ $0.counters }) { sum = sum + counters }
        }
        return sum
    }

    /// Checks a condition on the counters repeatedly until it is true.
    func wait(until isSo: (LoopCounters) -> Bool) async {
        while !isSo(await counters()) { await Task.yield() }
    }
}

/// Runs `body` with a running server, and stops the server.
func withServer(
    at address: SocketAddress = Running.anyPort, loops count: Int = 1,
    _ settings: LoopSettings = LoopSettings(),
    handler: @escaping HandlerMaker = { _ in EchoHandler() }, _ body: (Running) async throws -> Void
) async throws {
    let loops = try (0..<count).map { try Loop(LoopNumber($0), settings) }
    do {
        let listener = try await Listener.listen(at: address, spreadOver: loops, handler)
        try await body(Running(loops: loops, listener: listener))
    } catch {
        for loop in loops { await loop.stop() }
        throw error
    }
    for loop in loops { await loop.stop() }
}

/// A clock that advances only when the test says so.
final class HandClock: Sendable {
    private let moment = Atomic<UInt64>(1_000_000_000)

    var now: Moment { Moment(nanoseconds: moment.load(ordering: .sequentiallyConsistent)) }

    func advance(milliseconds: Int) { advance(microseconds: milliseconds * 1_000) }

    func advance(microseconds: Int) {
        moment.add(UInt64(microseconds) * 1_000, ordering: .sequentiallyConsistent)
    }

    var settings: LoopSettings {
        var settings = LoopSettings()
        settings.clock = { self.now }
        return settings
    }
}

/// The number of descriptors that this process has open.
func openDescriptors() -> Int {
    guard let folder = opendir("/proc/self/fd") else { return -1 }
    defer { closedir(folder) }
    var count = 0
    while readdir(folder) != nil { count += 1 }
    // The names `.` and `..` and the descriptor of the folder itself are not counted.
    return count - 3
}

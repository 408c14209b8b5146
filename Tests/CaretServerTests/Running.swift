import CaretServer
import Dispatch
import Glibc
import Synchronization
import Testing

/// Loops and a listener for the duration of a test.
struct Running: Sendable {
    let loops: [Loop]
    let listener: Listener

    var address: SocketAddress { listener.address }

    static let anyPort = SocketAddress.ip4(0x7F00_0001, port: 0)

    /// The counters of all loops.
    func counters() async -> LoopCounters {
        var sum = LoopCounters()
        for loop in loops {
            if let counters = await loop.asked({ $0.counters }) { sum = sum + counters }
        }
        return sum
    }

    /// Checks the condition repeatedly until it is true.
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
        let listener = try await Listener.listening(at: address, spreadOver: loops, handler)
        try await body(Running(loops: loops, listener: listener))
    } catch {
        for loop in loops { await loop.stopped() }
        throw error
    }
    for loop in loops { await loop.stopped() }
}

/// Runs code that may block on a thread of its own: tests share few threads.
func onOwnThread<Answer: Sendable>(_ body: @escaping @Sendable () throws -> Answer) async throws -> Answer {
    try await withCheckedThrowingContinuation { done in
        DispatchQueue(label: "test").async { done.resume(with: Result { try body() }) }
    }
}

/// A clock that only the test moves.
final class HandClock: Sendable {
    private let moment = Atomic<UInt64>(1_000_000_000)

    var now: Moment { Moment(nanoseconds: moment.load(ordering: .sequentiallyConsistent)) }

    func advance(milliseconds: Int) {
        moment.add(UInt64(milliseconds) * 1_000_000, ordering: .sequentiallyConsistent)
    }

    var settings: LoopSettings {
        var settings = LoopSettings()
        settings.clock = { self.now }
        return settings
    }
}

/// The descriptors that this process has open.
func openDescriptors() -> Int {
    guard let folder = opendir("/proc/self/fd") else { return -1 }
    defer { closedir(folder) }
    var count = 0
    while readdir(folder) != nil { count += 1 }
    // Without the two names that every folder has, and the folder itself.
    return count - 3
}

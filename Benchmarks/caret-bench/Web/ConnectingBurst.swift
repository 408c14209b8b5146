import CLinux
import Dispatch
import Glibc
import Synchronization

/// Many clients that say hello to a server at the same moment, on a thread of their own.
final class ConnectingBurst: Sendable {
    /// From the beginning of the burst until each client has its welcome.
    private let times = Mutex(Latencies())
    private let begins = DispatchSemaphore(value: 0)
    private let isPrepared = DispatchSemaphore(value: 0)
    private let isOver = Atomic(false)

    /// Connects the clients. With TLS, this also computes the first message of each client, so that all of
    /// them can be sent at once. Returns when the burst can begin.
    init(of count: Int, to port: UInt16, over transport: Transport) {
        DispatchQueue(label: "burst").async { [self] in run(count, port, transport) }
        isPrepared.wait()
    }

    func begin() { begins.signal() }

    /// Whether every client has its welcome.
    var isDone: Bool { isOver.load(ordering: .acquiring) }

    var latencies: Latencies { times.withLock { $0 } }

    private func run(_ count: Int, _ port: UInt16, _ transport: Transport) {
        let channels = (0..<count).map { _ in ClientChannel(to: port, over: transport) }
        isPrepared.signal()
        begins.wait()
        let measured = ConnectingBurst.welcomed(channels)
        times.withLock { $0 = measured }
        isOver.store(true, ordering: .releasing)
    }

    private static func welcomed(_ channels: [ClientChannel]) -> Latencies {
        let poller = epoll_create1(0)
        defer { close(poller) }
        let start = wallNanoseconds()
        var (times, hasGreeted) = (Latencies(), [Bool](repeating: false, count: channels.count))
        func greet(_ index: Int) {
            if hasGreeted[index] || !channels[index].isOpen { return }
            hasGreeted[index] = true
            channels[index].send(ClientChannel.hello(as: "bench-burst-\(index)"))
        }
        for (index, channel) in channels.enumerated() {
            var event = epoll_event()
            event.events = EPOLLIN.rawValue
            event.data.u64 = UInt64(index)
            epoll_ctl(poller, EPOLL_CTL_ADD, channel.socket, &event)
            channel.flush()
            greet(index)
        }
        var events = [epoll_event](repeating: epoll_event(), count: 256)
        withUnsafeTemporaryAllocation(byteCount: 1 << 18, alignment: 16) { buffer in
            while times.count < channels.count {
                let ready = epoll_wait(poller, &events, 256, 20_000)
                precondition(ready > 0, "\(channels.count - times.count) clients got no welcome in 20 s")
                for event in events.prefix(Int(ready)) {
                    let index = Int(event.data.u64)
                    let count = channels[index].read(into: buffer)
                    greet(index)
                    // With TLS, a read may return no lines.
                    if count == 0 { continue }
                    let answer = UnsafeRawBufferPointer(rebasing: buffer[..<count])
                    precondition(answer.kind == .welcome, "the server sent no welcome: \(answer.string)")
                    times.add(wallNanoseconds() - start)
                }
            }
        }
        return times
    }
}

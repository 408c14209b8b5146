package import CaretConfig
import CaretCore
package import CaretLog
import CaretRooms
package import CaretStore
package import CaretWire
@preconcurrency import Dispatch
import Synchronization

/// A running server: speaks the protocol on sockets. The caller opens and closes the store.
package final class Server: Sendable {
    private let switchboard: Switchboard
    private let loops: [Loop]
    private let listeners = Mutex<[Listener]>([])

    package init(
        _ settings: ServerSettings, store: SQLiteStore, in folder: String, authenticator: any Authenticator,
        counters: CounterBoard, log: LogWriter
    ) throws(SystemFault) {
        // Random, so that no two servers, and no two runs of one server, use the same session ids.
        let life = String(UInt64.random(in: .min ... .max), radix: 36)
        let connections = ConnectionSettings(
            limits: settings.limits, server: settings.name, store: { Epoch.name(ofStore: store.generation) },
            publicClient: { Server.publicClient($0) },
            sessionName: { WireString("\(life)-\(String($0.value, radix: 36))") },
            digest: { SHA256.digest(of: $0) })
        let clock = ServerClock()
        let background = DispatchQueue(label: "caret.work", attributes: .concurrent)
        var loops: [Loop] = []
        let platform = Platform(
            clock: clock,
            makeLoop: { number, refused throws(SystemFault) in
                var loopSettings = LoopSettings()
                loopSettings.refusal = Server.refusal
                loopSettings.refused = { refused($0) }
                let loop = try Loop(number, loopSettings)
                loops.append(loop)
                return loop
            },
            makeQueue: { DispatchQueue(label: $0) }, runInBackground: { background.async(execute: $0) })
        switchboard = try Switchboard(
            settings, connections, on: platform,
            store: { hub in
                let care = StoreCare(store, in: folder, log)
                let administration = Administration(
                    store: store, care: care, board: counters, clock: clock, hub: hub)
                return StoreDriver(store, administration.make)
            },
            authenticator: authenticator, board: counters, log: log)
        self.loops = loops
        switchboard.begin()
    }

    /// What a client receives if there is no descriptor for its connection.
    private static let refusal: [UInt8] = {
        var writer = JSONWriter()
        let report = ErrorReport(
            .overloaded, "the server has as many connections as it may have; try again later")
        report.encode(into: &writer)
        return writer.bytes
    }()

    /// The client's id is a secret, and cannot be recovered from this public id.
    package static func publicClient(_ pusher: Pusher) -> WireString {
        if let known = pusher.publicClient { return WireString(known.string) }
        let digest = SHA256.digest(of: pusher.user.utf8 + [0] + pusher.client.utf8)
        return WireString("p-" + String(digest.words[0], radix: 36))
    }

    /// How many more connections it could accept, judging by free descriptors.
    package var spareConnections: Int { DescriptorBound.free(leaving: LoopSettings().descriptorsLeft) }

    /// Listens at an address, and returns it. The system may have chosen the port.
    package func listen(at address: SocketAddress, as door: @escaping @Sendable (SocketAddress) -> Door)
        async throws(ListenFault) -> SocketAddress
    {
        let switchboard = switchboard
        let listener = try await Listener.listening(at: address, spreadOver: loops) {
            switchboard.shell(for: $0, at: door($0.peer))
        }
        listeners.withLock { $0.append(listener) }
        return listener.address
    }

    /// Stops accepting connections and requests, lets rooms and the store finish what they have begun, and
    /// sends `bye`. Connections that are still open after `time` are dropped. The store is not used any more
    /// after that.
    package func stop(within time: Duration) async {
        for listener in listeners.withLock({ $0 }) { await listener.closed() }
        let (ended, end) = AsyncStream<Void>.makeStream()
        switchboard.drain { end.finish() }
        let limit = Task {
            try? await Task.sleep(for: time)  // It throws only when it is cancelled.
            end.finish()
        }
        for await _ in ended {}
        limit.cancel()
        for loop in loops { await loop.stopped() }
        await withCheckedContinuation { done in switchboard.close { done.resume() } }
    }
}

package import CaretConfig
import CaretCore
import CaretFormat
package import CaretLog
import CaretRooms
package import CaretWire
@preconcurrency import Dispatch
import Synchronization

/// A running server: it accepts connections, and speaks the protocol with clients. The caller opens and
/// closes the store.
package final class Server: Sendable {
    private let switchboard: Switchboard
    private let loops: [Loop]
    private let listeners = Mutex<[Listener]>([])

    package init(
        _ settings: ServerSettings, store: any ServedStore, in folder: String,
        authenticator: any Authenticator, counters: CounterBoard, log: LogWriter
    ) throws(SystemFault) {
        // A random part of all session ids, so that no other server and no other run of this one uses the
        // same ids.
        let life = String(UInt64.random(in: .min ... .max), radix: 36)
        let connections = ConnectionSettings(
            limits: settings.limits, server: settings.name, node: store.bus == nil ? nil : settings.node,
            page: settings.page,
            store: { Epoch.name(ofStore: store.generation) },
            publicClient: { Server.publicClient($0) },
            sessionName: { WireString("\(life)-\(String($0.value, radix: 36))") },
            digest: { push in
                var sum = SHA256()
                push.forEachPart { sum.update($0) }
                return sum.digest()
            })
        let clock = ServerClock(wall: { store.now })
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
        let administration = Administration(
            store: store, node: ServerNode(settings, started: clock.start),
            maintenance: StoreMaintenance(store, in: folder, log), board: counters, clock: clock)
        switchboard = try Switchboard(
            settings, connections, on: platform,
            store: store, administer: administration.perform, bus: store.bus, authenticator: authenticator,
            board: counters, log: log)
        self.loops = loops
        switchboard.begin()
    }

    /// The line that a client receives if no descriptor is free for its connection.
    private static let refusal: [UInt8] = {
        var writer = JSONWriter()
        let report = ErrorReport(
            .overloaded, "the server has reached its limit of connections; try again later")
        report.encode(into: &writer)
        return writer.bytes
    }()

    /// The public id of a pusher. Nobody can compute the client's secret id from it.
    package static func publicClient(_ pusher: Pusher) -> WireString {
        if let known = pusher.publicClient { return WireString(known.string) }
        let digest = SHA256.digest(of: pusher.user.utf8 + [0] + pusher.client.utf8)
        return WireString("p-" + String(digest.words[0], radix: 36))
    }

    /// How many more connections the free descriptors allow.
    package var spareConnections: Int { DescriptorBound.free(leaving: LoopSettings().descriptorsLeft) }

    /// Listens at an address. Returns the address, with the port that the system chose if port 0 was
    /// requested. `protocols` is called for each connection.
    package func listen(
        at address: SocketAddress,
        speaking protocols: @escaping @Sendable () -> ListenerProtocols = { ListenerProtocols() },
        as listenerKind: @escaping @Sendable (SocketAddress) -> ListenerKind
    ) async throws(ListenFault) -> SocketAddress {
        let switchboard = switchboard
        let listener = try await Listener.listen(at: address, spreadOver: loops) {
            let protocols = protocols()
            return switchboard.shell(
                for: $0, at: listenerKind($0.peer), web: protocols.web, tls: protocols.tls)
        }
        listeners.withLock { $0.append(listener) }
        return listener.address
    }

    /// Uses the limits and the site guard of these settings for new connections. Open connections, open
    /// documents and the list of documents keep the limits that they have.
    package func reload(_ settings: ServerSettings) { switchboard.reload(settings) }

    /// Stops accepting connections and requests. Waits for pushes and store calls in progress, and sends
    /// `bye`. Drops connections that are still open after `time`. When this returns, the server no longer
    /// uses the store.
    package func stop(within time: Duration) async {
        for listener in listeners.withLock({ $0 }) { await listener.close() }
        let (ended, end) = AsyncStream<Void>.makeStream()
        switchboard.drain { end.finish() }
        let limit = Task {
            try? await Task.sleep(for: time)  // `sleep` throws only if the task is cancelled.
            end.finish()
        }
        for await _ in ended {}
        limit.cancel()
        for loop in loops { await loop.stop() }
        await withCheckedContinuation { done in switchboard.close { done.resume() } }
    }
}

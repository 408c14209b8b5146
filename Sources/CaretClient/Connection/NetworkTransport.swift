#if canImport(Network)
    import CaretConcurrency
    package import CaretReplica
    @preconcurrency package import Dispatch
    import Foundation
    import Network
    import Synchronization

    /// A connection through Network.framework, for every kind of address. Confined to its queue.
    ///
    /// Network.framework resolves names, tries all addresses of a host, and has TLS. On Apple's systems it
    /// also works where sockets do not, for example through a VPN that starts on demand.
    package final class NetworkTransport: Transport {
        /// How many bytes one read may return.
        private static let readSize = 1 << 16

        package var handler: (TransportEvent) -> Void = { _ in }
        package private(set) var unsentBytes = 0
        private let queue: DispatchQueue
        private var connection: NWConnection?
        private var isReady = false
        private var isClosed = false
        /// Why the client does not trust the server's certificate. Nil if it does.
        private let trustFault = TrustFault()
        /// What was sent before there was a connection.
        private var early: [[UInt8]] = []

        package init(_ queue: DispatchQueue) { self.queue = queue }

        package func connect(to server: ResolvedServer, within timeout: Milliseconds) {
            if isClosed { return }
            let connection = NWConnection(
                to: server.endpoint, using: server.parameters(reporting: trustFault, on: queue))
            self.connection = connection
            let home = Confined(self, within: queue)
            connection.stateUpdateHandler = { state in home.value.changed(state) }
            connection.start(queue: queue)
        }

        private func changed(_ state: NWConnection.State) {
            if isClosed { return }
            switch state {
            case .ready:
                isReady = true
                handler(.connected)
                for bytes in early { write(bytes) }
                early = []
                receive()
            // The connection waits for the network. The client has its own delays between its attempts, so
            // this attempt has failed.
            case .waiting(let error), .failed(let error):
                let reason = trustFault.reason ?? Self.description(of: error)
                end(isReady ? .failed(reason) : .unreachable(reason))
            case .setup, .preparing, .cancelled: break
            @unknown default: break
            }
        }

        // MARK: Ending

        package func close() {
            isClosed = true
            connection?.stateUpdateHandler = nil
            connection?.cancel()
            connection = nil
        }

        private func end(_ reason: DisconnectReason) {
            if isClosed { return }
            close()
            handler(.disconnected(reason))
        }

        private static func description(of error: NWError) -> String {
            if case .posix(let code) = error { return String(cString: strerror(code.rawValue)) }
            return error.localizedDescription
        }

        // MARK: Output and input

        package func send(_ bytes: [UInt8]) {
            if isClosed { return }
            unsentBytes += bytes.count
            if isReady { write(bytes) } else { early.append(bytes) }
        }

        private func write(_ bytes: [UInt8]) {
            let home = Confined(self, within: queue)
            connection?.send(
                content: Data(bytes),
                completion: .contentProcessed { error in home.value.sent(bytes.count, error) })
        }

        private func sent(_ count: Int, _ error: NWError?) {
            unsentBytes -= count
            if let error { end(.failed(Self.description(of: error))) }
        }

        private func receive() {
            let home = Confined(self, within: queue)
            connection?.receive(minimumIncompleteLength: 1, maximumLength: Self.readSize) {
                bytes, _, isComplete, error in
                home.value.received(bytes, isComplete: isComplete, error)
            }
        }

        private func received(_ bytes: Data?, isComplete: Bool, _ error: NWError?) {
            if isClosed { return }
            bytes?.withUnsafeBytes { handler(.received($0)) }
            if let error { return end(.failed(Self.description(of: error))) }
            if isComplete { return end(.ended) }
            receive()
        }
    }

    /// Why the check of a certificate has failed. The check and the transport run on the same queue, but the
    /// compiler does not know this.
    final class TrustFault: Sendable {
        private let text = Mutex<String?>(nil)

        var reason: String? { text.withLock { $0 } }

        func set(_ reason: String) { text.withLock { $0 = reason } }
    }
#endif

#if canImport(Glibc) && !canImport(Network)
    import CaretConcurrency
    package import CaretReplica
    import CaretTLS
    @preconcurrency package import Dispatch
    import Glibc

    /// A connection over a socket of the system, with TLS by OpenSSL if the address asks for it. Confined to
    /// its queue.
    package final class SocketTransport: Transport {
        /// How many bytes one read may return.
        private static let readSize = 1 << 16

        package var handler: (TransportEvent) -> Void = { _ in }
        private let queue: DispatchQueue
        private var socket: WatchedSocket?
        private var isConnected = false
        private var isClosed = false
        /// The addresses that were not tried yet, in reverse order.
        private var addresses: [SystemAddress] = []
        /// How long to wait for one address before the next one is tried.
        private var addressTimeout: Milliseconds = 0
        /// Nil without TLS.
        private var security: ResolvedServer.Security?
        /// Nil without TLS, and before the TCP connection is made.
        private var session: TLSSession?
        private var output: [UInt8] = []
        /// How many bytes of `output` were written to the socket.
        private var written = 0
        private let input = UnsafeMutableRawBufferPointer.allocate(
            byteCount: SocketTransport.readSize, alignment: 16)

        package init(_ queue: DispatchQueue) { self.queue = queue }

        deinit { input.deallocate() }

        // MARK: Connecting

        /// Tries the addresses in order. Each address gets an equal share of the timeout, but at least one
        /// second. The last address has no timeout here, because the caller limits the whole attempt.
        package func connect(to server: ResolvedServer, within timeout: Milliseconds) {
            if isClosed { return }
            addresses = server.addresses.reversed()
            security = server.security
            addressTimeout = SocketTransport.addressTimeout(within: timeout, addresses: addresses.count)
            connectToNext(after: ENXIO)
        }

        /// How long to wait for one of several addresses.
        package static func addressTimeout(within timeout: Milliseconds, addresses: Int) -> Milliseconds {
            max(1_000, Milliseconds(timeout.value / max(1, addresses)))
        }

        private func connectToNext(after code: Int32) {
            var code = code
            while let address = addresses.popLast() {
                code = begin(address)
                if code == 0 { return }
            }
            end(.unreachable(SocketTransport.description(of: code)))
        }

        /// Starts to connect. Returns zero if the attempt was started, else the system's error code.
        private func begin(_ address: SystemAddress) -> Int32 {
            let kind = Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue)
            let descriptor = Glibc.socket(address.family, kind, 0)
            if descriptor < 0 { return errno }
            if address.family != AF_UNIX {
                // With this option the system sends each line at once. Without it the connection is only
                // slower.
                var isOn: Int32 = 1
                setsockopt(
                    descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &isOn,
                    socklen_t(MemoryLayout.size(ofValue: isOn)))
            }
            let code = address.connect(descriptor)
            if code != 0 && code != EINPROGRESS {
                Glibc.close(descriptor)
                return code
            }
            let handlers = WatchedSocket.Handlers(
                readable: { [unowned self] in readable() }, writable: { [unowned self] in writable() })
            guard let socket = WatchedSocket(descriptor, queue, handlers) else {
                Glibc.close(descriptor)
                return EMFILE
            }
            self.socket = socket
            socket.watchOutput(true)
            if !addresses.isEmpty { startTimeout(of: socket, after: addressTimeout) }
            return 0
        }

        private func startTimeout(of socket: WatchedSocket, after span: Milliseconds) {
            let timedOut = { [weak self, weak socket] in
                guard let self, let socket, socket === self.socket, !isConnected else { return }
                failedToConnect(ETIMEDOUT)
            }
            let attempt = Confined(timedOut, within: queue)
            queue.asyncAfter(deadline: .now() + .milliseconds(span.value)) { attempt.value() }
        }

        private func finishConnecting(_ socket: WatchedSocket) {
            let code = SocketTransport.failure(of: socket)
            if code != 0 { return failedToConnect(code) }
            isConnected = true
            guard let security else { return handler(.connected) }
            let session = security.context.makeSession(to: security.host, speaking: .lines)
            self.session = session
            // No input has arrived yet, so this call only sends the first message of the TLS handshake.
            decrypt(session)
        }

        private func failedToConnect(_ code: Int32) {
            drop()
            connectToNext(after: code)
        }

        /// The system's error code for a socket that failed, or zero if the socket did not fail.
        private static func failure(of socket: WatchedSocket) -> Int32 {
            var code: Int32 = 0
            var size = socklen_t(MemoryLayout.size(ofValue: code))
            return getsockopt(socket.descriptor, SOL_SOCKET, SO_ERROR, &code, &size) == 0 ? code : errno
        }

        // MARK: Ending

        package func close() {
            if !isClosed { sayGoodbye() }
            isClosed = true
            drop()
        }

        /// Tells the server why the session ends, if the system accepts it at once.
        private func sayGoodbye() {
            guard let socket, let session else { return }
            if written == output.count { session.endOutput() }
            while !session.output.isEmpty {
                let bytes = session.output
                let count = Glibc.send(socket.descriptor, bytes.baseAddress, bytes.count, Int32(MSG_NOSIGNAL))
                if count <= 0 { return }
                session.removeOutput(count)
            }
        }

        private func end(_ reason: DisconnectReason) {
            if isClosed { return }
            close()
            handler(.disconnected(reason))
        }

        private func drop() {
            socket?.close()
            socket = nil
        }

        private static func description(of code: Int32) -> String { String(cString: strerror(code)) }

        // MARK: Output

        package var unsentBytes: Int { output.count - written }

        package func send(_ bytes: [UInt8]) {
            if isClosed { return }
            output.append(contentsOf: bytes)
            write()
        }

        private func writable() {
            guard let socket else { return }
            if !isConnected { finishConnecting(socket) }
            write()
        }

        private func write() {
            guard let socket, isConnected else { return }
            if let session { return write(session, to: socket) }
            while written < output.count {
                let count = output[written...].withUnsafeBytes {
                    // Without this flag, writing to a closed connection would kill the process with SIGPIPE.
                    Glibc.send(socket.descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
                }
                if count >= 0 {
                    written += count
                } else if errno == EAGAIN {
                    return socket.watchOutput(true)
                } else if errno != EINTR {
                    return end(.failed(SocketTransport.description(of: errno)))
                }
            }
            finishWriting(socket)
        }

        private func finishWriting(_ socket: WatchedSocket) {
            if written == output.count {
                output.removeAll(keepingCapacity: output.capacity <= SocketTransport.readSize)
                written = 0
            }
            socket.watchOutput(false)
        }

        /// Encrypts the output record by record, so that only one record is in memory twice.
        private func write(_ session: TLSSession, to socket: WatchedSocket) {
            while true {
                while !session.output.isEmpty {
                    let bytes = session.output
                    let count = Glibc.send(
                        socket.descriptor, bytes.baseAddress, bytes.count, Int32(MSG_NOSIGNAL))
                    if count >= 0 {
                        session.removeOutput(count)
                    } else if errno == EAGAIN {
                        return socket.watchOutput(true)
                    } else if errno != EINTR {
                        return end(.failed(SocketTransport.description(of: errno)))
                    }
                }
                guard session.isOpen, written < output.count else { return finishWriting(socket) }
                let next = min(output.count, written + TLSSession.recordBytes)
                if let fault = output[written..<next].withUnsafeBytes(session.sealing) {
                    return end(.failed(fault.description))
                }
                written = next
            }
        }

        // MARK: Input

        private func readable() {
            guard let socket else { return }
            if !isConnected {
                // When an attempt to connect fails, the system may only report that the socket is readable.
                let code = SocketTransport.failure(of: socket)
                return code == 0 ? () : failedToConnect(code)
            }
            let count = recv(socket.descriptor, input.baseAddress, input.count, 0)
            if count > 0 { return received(UnsafeRawBufferPointer(rebasing: input[..<count])) }
            if count == 0 { return end(endReason) }
            if errno == EAGAIN || errno == EINTR { return }
            end(.failed(SocketTransport.description(of: errno)))
        }

        private func received(_ bytes: UnsafeRawBufferPointer) {
            guard let session else { return handler(.received(bytes)) }
            session.receive(bytes)
            decrypt(session)
        }

        /// Why the server has ended the connection.
        private var endReason: DisconnectReason {
            guard let session, !session.isOpen else { return .ended }
            return .unreachable(
                "the server closed the connection instead of beginning TLS; it may have no certificate")
        }

        private func decrypt(_ session: TLSSession) {
            while !isClosed {
                let wasOpen = session.isOpen
                let (count, reason) = session.read(into: input)
                if !wasOpen, session.isOpen { handler(.connected) }
                if count > 0 { handler(.received(UnsafeRawBufferPointer(rebasing: input[..<count]))) }
                switch reason {
                case .full: continue
                case .needsInput: return write()
                case .ended: return end(.ended)
                case .failed(let fault):
                    return end(wasOpen ? .failed(fault.description) : .unreachable(fault.description))
                }
            }
        }
    }
#endif

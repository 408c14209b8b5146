import CaretConcurrency
package import CaretReplica
package import CaretWire
@preconcurrency package import Dispatch
import Glibc

/// A connection to a server, which turns messages into lines and lines into messages. Confined to its queue.
package final class LineConnection {
    package enum Event {
        case connected
        case heard(Envelope<ServerMessage>)
        /// A message was not sent: its line is longer than the server takes.
        case overlong(ClientMessage, RequestID?, bytes: Int, limit: Int)
        /// Nothing comes after it.
        case cut(CutReason)
    }

    /// Bytes of output that may wait: as many of the longest lines as requests are on their way at once.
    private static let mostWaiting = Asks.atOnce * Limits.Announced().line
    /// Bytes that one read takes.
    private static let readSize = 1 << 16

    private let queue: DispatchQueue
    private let tell: (Event) -> Void
    private var socket: WatchedSocket?
    private var isConnected = false
    private var isOver = false
    /// Where to try next.
    private var addresses: [SystemAddress] = []
    /// How long an address is waited for while there is another one.
    private var share: Milliseconds = 0

    private var limits = Limits.Announced()
    private var framer = LineFramer(limit: Limits.Announced().serverLine)
    private var decoder = MessageDecoder()
    private var writer = JSONWriter()
    private var output: [UInt8] = []
    /// How much of it is written.
    private var written = 0
    private let input = UnsafeMutableRawBufferPointer.allocate(
        byteCount: LineConnection.readSize, alignment: 16)

    /// `tell` is called on the queue.
    package init(_ queue: DispatchQueue, _ tell: @escaping (Event) -> Void) {
        self.queue = queue
        self.tell = tell
    }

    deinit { input.deallocate() }

    // MARK: Connecting

    /// Tries one address after the other. One that is silent takes its share of the patience, or a second, and whoever
    /// waits for all of them waits no longer for the last.
    package func connect(to addresses: [SystemAddress], within patience: Milliseconds = ClientState.patience)
    {
        if isOver { return }
        self.addresses = addresses.reversed()
        share = max(1_000, Milliseconds(patience.value / max(1, addresses.count)))
        connectToNext(after: ENXIO)
    }

    /// Nobody knows where the server is.
    func fail(_ fault: ResolvingFault) { end(.unreachable(fault.reason)) }

    private func connectToNext(after code: Int32) {
        var code = code
        while let address = addresses.popLast() {
            code = begin(address)
            if code == 0 { return }
        }
        end(.unreachable(LineConnection.words(for: code)))
    }

    /// Zero where the attempt is under way.
    private func begin(_ address: SystemAddress) -> Int32 {
        let kind = Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue)
        let descriptor = Glibc.socket(address.family, kind, 0)
        if descriptor < 0 { return errno }
        if address.family != AF_UNIX {
            // A line is not held back for the next one. Where that cannot be had it is slower, and no more.
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
        if !addresses.isEmpty { giveUp(socket, after: share) }
        return 0
    }

    private func giveUp(_ socket: WatchedSocket, after span: Milliseconds) {
        let timedOut = { [weak self, weak socket] in
            guard let self, let socket, socket === self.socket, !isConnected else { return }
            failedToConnect(ETIMEDOUT)
        }
        let attempt = Confined(timedOut, within: queue)
        queue.asyncAfter(deadline: .now() + .milliseconds(span.value)) { attempt.value() }
    }

    private func finishConnecting(_ socket: WatchedSocket) {
        let code = LineConnection.failure(of: socket)
        if code == 0 {
            isConnected = true
            tell(.connected)
        } else {
            failedToConnect(code)
        }
    }

    private func failedToConnect(_ code: Int32) {
        drop()
        connectToNext(after: code)
    }

    /// What the system keeps for a socket that failed; zero for one that did not.
    private static func failure(of socket: WatchedSocket) -> Int32 {
        var code: Int32 = 0
        var size = socklen_t(MemoryLayout.size(ofValue: code))
        return getsockopt(socket.descriptor, SOL_SOCKET, SO_ERROR, &code, &size) == 0 ? code : errno
    }

    // MARK: Ending

    /// Ends it without another event.
    package func close() {
        isOver = true
        drop()
    }

    private func end(_ reason: CutReason) {
        if isOver { return }
        close()
        tell(.cut(reason))
    }

    private func drop() {
        socket?.close()
        socket = nil
    }

    private static func words(for code: Int32) -> String { String(cString: strerror(code)) }

    // MARK: Output

    /// What the server takes from here on.
    package func keep(to limits: Limits.Announced) {
        self.limits = limits
        framer.limit = limits.serverLine
    }

    package func send(_ message: ClientMessage, id: RequestID?) {
        if isOver { return }
        writer.bytes.removeAll(keepingCapacity: writer.bytes.capacity <= LineConnection.readSize)
        message.encode(id: id, into: &writer)
        // The end of the line does not count.
        let bytes = writer.bytes.count - 1
        if bytes > limits.line { return tell(.overlong(message, id, bytes: bytes, limit: limits.line)) }
        output.append(contentsOf: writer.bytes)
        if output.count - written > LineConnection.mostWaiting { return end(.outputFull) }
        write()
    }

    private func writable() {
        guard let socket else { return }
        if !isConnected { finishConnecting(socket) }
        write()
    }

    private func write() {
        guard let socket, isConnected else { return }
        while written < output.count {
            let count = output[written...].withUnsafeBytes {
                // A server that is gone must not end the process by a signal.
                Glibc.send(socket.descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            if count >= 0 {
                written += count
            } else if errno == EAGAIN || errno == EWOULDBLOCK {
                return socket.watchOutput(true)
            } else if errno != EINTR {
                return end(.failed(LineConnection.words(for: errno)))
            }
        }
        output.removeAll(keepingCapacity: output.capacity <= LineConnection.readSize)
        written = 0
        socket.watchOutput(false)
    }

    // MARK: Input

    private func readable() {
        guard let socket else { return }
        if !isConnected {
            // A failure may be told to this source alone.
            let code = LineConnection.failure(of: socket)
            return code == 0 ? () : failedToConnect(code)
        }
        let count = recv(socket.descriptor, input.baseAddress, input.count, 0)
        if count > 0 { return take(UnsafeRawBufferPointer(rebasing: input[..<count])) }
        if count == 0 { return end(.ended) }
        if errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR { return }
        end(.failed(LineConnection.words(for: errno)))
    }

    private func take(_ bytes: UnsafeRawBufferPointer) {
        var rest = bytes
        while !isOver {
            let frame = framer.next(of: &rest) { line in
                Result { () throws(WireFault) in try decoder.serverMessage(line) }
            }
            switch frame {
            case .incomplete: return
            case .tooLong(let bytes, let limit):
                end(.notUnderstood("a line has at least \(bytes) bytes, where \(limit) may be"))
            case .line(.success(let envelope)): if let envelope { tell(.heard(envelope)) }
            case .line(.failure(let fault)): end(.notUnderstood(fault.message))
            }
        }
    }
}

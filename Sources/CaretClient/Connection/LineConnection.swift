package import CaretReplica
package import CaretWire
@preconcurrency package import Dispatch

/// A connection to a server. It encodes messages into lines and decodes lines into messages. Confined to its
/// queue.
package final class LineConnection {
    package enum Event {
        case connected
        case received(Envelope<ServerMessage>)
        /// A message was not sent, because its line is longer than the server allows.
        case lineTooLong(ClientMessage, RequestID?, bytes: Int, limit: Int)
        /// The connection has ended, or could not be made. This is the last event.
        case disconnected(DisconnectReason)
    }

    /// How many bytes of output may be unsent: enough for all requests in flight, each with the longest line.
    private static let maxOutput = PendingRequests.maxInFlight * Limits.Announced().line
    /// A buffer that was larger than this is freed once it is empty.
    private static let keptCapacity = 1 << 16

    private let handler: (Event) -> Void
    private let transport: ServerTransport
    private var isClosed = false
    /// Whether the server may expect TLS, which the client does not use, and has not answered yet.
    private var mayExpectTLS = false

    private var limits = Limits.Announced()
    private var framer = LineFramer(limit: Limits.Announced().serverLine)
    private var decoder = MessageDecoder()
    private var writer = JSONWriter()

    /// `handler` is called on the queue.
    package init(_ queue: DispatchQueue, _ handler: @escaping (Event) -> Void) {
        self.handler = handler
        transport = ServerTransport(queue)
        transport.handler = { [unowned self] event in handle(event) }
    }

    /// Connects to the server. Each of its addresses gets a share of the timeout.
    package func connect(
        to server: ResolvedServer, within timeout: Milliseconds = ServerRotation.longestAttempt
    ) {
        if isClosed { return }
        mayExpectTLS = server.isPlainTCP
        transport.connect(to: server, within: timeout)
    }

    /// Ends the connection, because the address could not be resolved.
    func fail(_ fault: ResolvingFault) { end(.unreachable(fault.reason)) }

    /// Ends the connection without an event.
    package func close() {
        isClosed = true
        transport.close()
    }

    private func end(_ reason: DisconnectReason) {
        if isClosed { return }
        close()
        handler(.disconnected(reason))
    }

    private func handle(_ event: TransportEvent) {
        if isClosed { return }
        switch event {
        case .connected: handler(.connected)
        case .received(let bytes):
            if mayExpectTLS, bytes.first == LineConnection.alert { return endWithoutTLS() }
            mayExpectTLS = false
            decode(bytes)
        case .disconnected(.ended) where mayExpectTLS: endWithoutTLS()
        case .disconnected(let reason): end(reason)
        }
    }

    /// The first byte of an alert, with which TLS answers something else than TLS. No line begins with it.
    private static let alert: UInt8 = 0x15
    package static let hintAtTLS =
        "the server closed the connection without an answer; if it uses TLS, write carets:// before its address"

    private func endWithoutTLS() {
        end(.unreachable(LineConnection.hintAtTLS))
    }

    /// Sets the limits that the server has announced.
    package func setLimits(_ limits: Limits.Announced) {
        self.limits = limits
        framer.limit = limits.serverLine
    }

    package func send(_ message: ClientMessage, id: RequestID?) {
        if isClosed { return }
        writer.bytes.removeAll(keepingCapacity: writer.bytes.capacity <= LineConnection.keptCapacity)
        message.encode(id: id, into: &writer)
        // The limit of a line does not include its line feed.
        let bytes = writer.bytes.count - 1
        if bytes > limits.line { return handler(.lineTooLong(message, id, bytes: bytes, limit: limits.line)) }
        if transport.unsentBytes + writer.bytes.count > LineConnection.maxOutput { return end(.outputFull) }
        transport.send(writer.bytes)
    }

    private func decode(_ bytes: UnsafeRawBufferPointer) {
        var rest = bytes
        while !isClosed {
            let frame = framer.next(of: &rest) { line in
                Result { () throws(WireFault) in try decoder.serverMessage(line) }
            }
            switch frame {
            case .incomplete: return
            case .tooLong(let bytes, let limit):
                end(.notUnderstood("a line is at least \(bytes) bytes long; the limit is \(limit) bytes"))
            case .line(.success(let envelope)): if let envelope { handler(.received(envelope)) }
            case .line(.failure(let fault)): end(.notUnderstood(fault.message))
            }
        }
    }
}

package import CaretRooms
package import CaretTLS
import Glibc

/// One connected socket: passes its input to a handler, and writes the handler's output once a turn. Confined
/// to its loop.
///
/// Calls on a closed connection do nothing.
package final class Connection {
    private enum OutputState {
        case open
        /// The handler has ended the output. The connection writes what is queued, and then closes its
        /// sending side.
        case ending
        case ended
    }

    private enum Input {
        case reading
        /// Paused until the handler resumes reading. `rest` was read from the socket, but the handler has not
        /// accepted it yet.
        case paused(rest: [UInt8])
        /// The handler gets `rest` in this turn or the next.
        case resuming(rest: [UInt8])
        case ended
    }

    private enum FlushState {
        /// The queue is empty.
        case idle
        /// In the list of connections that are flushed at the end of the turn.
        case awaitingFlush
        /// The socket's buffer is full. The system will report when it is writable again.
        case blocked
    }

    private enum Watch: Equatable {
        case watched(Interest)
        /// The peer disconnected while reading was paused. The socket is not watched, because the system
        /// would report the disconnect in every turn.
        case hungUp
    }

    package let id: SocketID
    /// The address of the peer.
    package let peer: SocketAddress
    package let descriptor: Int32
    /// All sockets of its loop, including this one.
    package unowned let sockets: Sockets
    private var handler: (any ConnectionHandler)?
    private var isClosed = false
    private var outputState = OutputState.open
    private var input = Input.reading
    private var watch = Watch.watched(.input)
    private var output = OutputQueue()
    private var flushState = FlushState.idle
    /// Nil without TLS.
    private var secure: SecureChannel?

    init(_ id: SocketID, _ socket: AcceptedSocket, on sockets: Sockets) {
        self.id = id
        self.peer = socket.peer
        self.descriptor = socket.descriptor
        self.sockets = sockets
    }

    /// Sets the handler. Call this before the first event.
    func begin(_ handler: any ConnectionHandler) { self.handler = handler }

    // MARK: Calls of the handler, described in `ConnectionPort`

    /// The number of bytes that were passed to `send`, but that the system has not accepted yet.
    package var waitingBytes: Int { output.bytes }

    /// The time at which the handler is called. Moving it to a later time costs almost nothing.
    package var deadline: Moment? {
        get { isClosed ? nil : sockets.deadline(of: id.slot) }
        set { if !isClosed { sockets.setDeadline(newValue, of: id.slot) } }
    }

    package func send(_ payload: Payload) {
        guard !isClosed, case .open = outputState, !payload.bytes.isEmpty else { return }
        output.append(payload)
        awaitFlush()
    }

    package func pauseReading() {
        if isClosed { return }
        switch input {
        case .reading: input = .paused(rest: [])
        case .resuming(let rest): input = .paused(rest: rest)
        case .paused, .ended: return
        }
        // The socket stays watched until input arrives. Usually reading resumes before that, and then both
        // calls together cost no system call.
    }

    package func resumeReading() {
        guard !isClosed, case .paused(let rest) = input else { return }
        if rest.isEmpty, secure?.inputHasEnded != true {
            input = .reading
            updateWatch()
        } else {
            input = .resuming(rest: rest)
            sockets.resumed(self)
        }
    }

    package func endOutput() {
        guard !isClosed, case .open = outputState else { return }
        // Before the end of a TLS handshake, nothing in the queue can be sent, so the connection closes now.
        if let secure, !secure.isOpen { return close(.closedByHandler) }
        outputState = .ending
        awaitFlush()
    }

    package func startTLS(_ context: TLSServerContext) {
        if isClosed { return }
        precondition(secure == nil, "a connection begins TLS twice")
        secure = SecureChannel(context.makeSession())
    }

    package var agreedProtocol: ApplicationProtocol? { secure?.agreedProtocol }

    package func close() {
        if isClosed { return }
        if !output.isEmpty {
            // With this option, closing the socket sends a reset to the peer. The system then frees the
            // buffers at once. Without this option, the system would try for minutes to send the bytes in
            // them.
            var linger = linger(l_onoff: 1, l_linger: 0)
            setsockopt(
                descriptor, SOL_SOCKET, SO_LINGER, &linger, socklen_t(MemoryLayout.size(ofValue: linger)))
        }
        close(.closedByHandler)
    }

    // MARK: Events of the loop

    func ready(_ readiness: Readiness) {
        if readiness.isWritable { outputBecameWritable() }
        if readiness.hasInput || readiness.hasHungUp { handleInput(hasHungUp: readiness.hasHungUp) }
    }

    private func handleInput(hasHungUp: Bool) {
        if isClosed { return }
        switch input {
        case .reading: read()
        case .paused, .resuming: if hasHungUp { handleHangUp() } else { updateWatch() }
        case .ended: if hasHungUp { close(.lost(failure)) }
        }
    }

    /// Passes the handler the bytes that were kept while reading was paused.
    func deliverKeptInput() {
        guard !isClosed, case .resuming(let rest) = input else { return }
        input = .reading
        rest.withUnsafeBytes { rest in
            // During the handshake, bytes are kept only if the handshake had to wait for this turn.
            if let secure, !secure.isOpen { return decrypt(rest, secure) }
            if !rest.isEmpty { deliver(rest) }
        }
        endInputOfSession()
        updateWatch()
    }

    /// Writes to the socket in one system call. Bytes that do not fit in the call, or that are more than a turn may write,
    /// wait for the next turn.
    func flush() {
        // The descriptor of a closed connection may belong to another one by now.
        guard !isClosed, case .awaitingFlush = flushState else { return }
        flushState = .idle
        if let secure {
            flush(secure)
        } else if !output.isEmpty {
            handle(sockets.write(output, to: descriptor)) { $0 }
        }
        resume()
    }

    private func flush(_ secure: SecureChannel) {
        // The sending side is closed, so TLS can no longer answer a request of the peer for new keys.
        if case .ended = outputState { return }
        do throws(TLSFault) {
            if !output.isEmpty { try secure.seal(output, in: sockets.secureBuffers) }
        } catch {
            return close(.tlsFailed(error))
        }
        if secure.hasOutput {
            handle(sockets.write(secure.output, to: descriptor)) { secure.wrote($0) }
        }
    }

    /// `queued` converts the number of bytes written to the number of bytes to remove from the queue.
    @inline(__always)
    private func handle(_ result: Sockets.WriteResult, queued: (Int) -> Int) {
        switch result {
        case .failed(let code): close(.lost(SystemFault("sendmsg", code: code)))
        case .wrote(let count, let isAll):
            if !isAll { flushState = .blocked }
            let count = queued(count)
            if count > 0 {
                output.removeFirst(count)
                handler?.wrote(count, on: self)
            }
        }
    }

    private func resume() {
        if isClosed { return }
        if hasOutputToWrite { awaitFlush() }
        updateWatch()
        if case .ending = outputState, output.isEmpty { finishOutput() }
    }

    /// Before the end of a handshake, the queue must wait.
    private var hasOutputToWrite: Bool {
        guard let secure else { return !output.isEmpty }
        return secure.hasOutput || !output.isEmpty && secure.isOpen
    }

    private func finishOutput() {
        if let secure {
            secure.endOutput()
            if secure.hasOutput { return awaitFlush() }
        }
        outputState = .ended
        shutdown(descriptor, Int32(SHUT_WR))
    }

    func deadlinePassed() { handler?.deadlinePassed(on: self) }

    /// Calls the handler's `closed`, and releases the handler, because the handler may own this connection.
    func notifyClosed(_ reason: CloseReason) {
        handler?.closed(reason, on: self)
        handler = nil
    }

    func close(_ reason: CloseReason) {
        if isClosed { return }
        isClosed = true
        input = .ended
        if let secure { sayGoodbye(secure) }
        output.removeAll()
        sockets.remove(self, reason)
    }

    // MARK: Reading

    private func read() {
        if let secure { return read(secure) }
        let count = sockets.read(from: descriptor)
        if count > 0 { return deliver(UnsafeRawBufferPointer(rebasing: sockets.readBuffer[..<count])) }
        handleNoInput(count)
    }

    private func read(_ secure: SecureChannel) {
        // The system reports the unread bytes again in the next turn.
        if !secure.isOpen, !sockets.claimHandshakeStep() { return }
        let count = sockets.read(from: descriptor, upTo: SecureChannel.readBytes)
        if count <= 0 { return handleNoInput(count) }
        decryptClaimed(UnsafeRawBufferPointer(rebasing: sockets.readBuffer[..<count]), secure)
    }

    /// Handles a read that returned no bytes.
    private func handleNoInput(_ count: Int) {
        if count < 0 {
            if errno == EAGAIN || errno == EWOULDBLOCK { return }
            return close(.lost(SystemFault("recv")))
        }
        endInput()
    }

    private func endInput() {
        input = .ended
        updateWatch()
        handler?.inputEnded(on: self)
    }

    private func deliver(_ bytes: UnsafeRawBufferPointer) {
        guard let handler else { return }
        let wasSecure = secure != nil
        let accepted = handler.received(bytes, on: self)
        if accepted == bytes.count || isClosed { return }
        precondition(
            0..<bytes.count ~= accepted,
            "a handler received \(bytes.count) bytes, but says that it accepted \(accepted)")
        let rest = UnsafeRawBufferPointer(rebasing: bytes[accepted...])
        if !wasSecure, let secure { return decrypt(rest, secure) }
        input = .paused(rest: Array(rest))
        updateWatch()
    }

    // MARK: Reading with TLS

    /// Continues the handshake now or in the next turn.
    private func decrypt(_ bytes: UnsafeRawBufferPointer, _ secure: SecureChannel) {
        if sockets.claimHandshakeStep() { return decryptClaimed(bytes, secure) }
        input = .resuming(rest: Array(bytes))
        updateWatch()
        sockets.resumed(self)
    }

    private func decryptClaimed(_ bytes: UnsafeRawBufferPointer, _ secure: SecureChannel) {
        let buffer = sockets.secureBuffers.plain
        let (count, end) = secure.receive(bytes, into: buffer)
        if hasOutputToWrite { awaitFlush() }
        if count > 0 { deliver(UnsafeRawBufferPointer(rebasing: buffer[..<count])) }
        if isClosed { return }
        switch end {
        case .needsInput: break
        case .ended: endInputOfSession()
        case .failed(let fault): close(.tlsFailed(fault))
        case .full: preconditionFailure("a connection decrypted more than \(buffer.count) bytes")
        }
    }

    /// Reports the peer's close_notify, once the handler has accepted all bytes before it.
    private func endInputOfSession() {
        if isClosed { return }
        if case .reading = input, let secure, secure.inputHasEnded { endInput() }
    }

    /// Tells the peer why the session ends, if the system accepts it at once.
    private func sayGoodbye(_ secure: SecureChannel) {
        guard output.isEmpty else { return }
        secure.endOutput()
        if secure.hasOutput { _ = sockets.write(secure.output, to: descriptor) }
    }

    // MARK: Writing and closing

    private func awaitFlush() {
        guard case .idle = flushState else { return }
        flushState = .awaitingFlush
        sockets.flushLater(self)
    }

    private func outputBecameWritable() {
        guard case .blocked = flushState else { return }
        flushState = .idle
        awaitFlush()
    }

    private func handleHangUp() {
        // Bytes that have arrived can still be read. The output cannot be written: the next flush gets the
        // error.
        watch = .hungUp
        sockets.unwatch(descriptor)
        outputBecameWritable()
    }

    /// The error that the system keeps for this socket.
    private var failure: SystemFault {
        var code: Int32 = 0
        var size = socklen_t(MemoryLayout.size(ofValue: code))
        getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &code, &size)
        return SystemFault("poll", code: code == 0 ? EPIPE : code)
    }

    private var wantedInterest: Interest {
        var forOutput: Interest = []
        if case .blocked = flushState { forOutput = .output }
        switch input {
        case .reading: return forOutput.union(.input)
        case .paused, .resuming, .ended: return forOutput
        }
    }

    private func updateWatch() {
        if isClosed { return }
        let wantedInterest = wantedInterest
        switch watch {
        case .watched(wantedInterest): return
        case .watched: sockets.watch(descriptor, as: id.slot, for: wantedInterest)
        case .hungUp:
            guard wantedInterest.contains(.input) else { return }
            sockets.watchAgain(self, for: wantedInterest)
        }
        watch = .watched(wantedInterest)
    }
}

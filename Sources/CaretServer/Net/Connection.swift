import Glibc

/// One connected socket: passes its input to a handler, and writes the handler's output once a turn. Confined
/// to its loop.
///
/// Calls on a closed connection do nothing.
package final class Connection {
    private enum OwnSide {
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

    private enum Flow {
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
    private var ownSide = OwnSide.open
    private var input = Input.reading
    private var watch = Watch.watched(.input)
    private var output = OutputQueue()
    private var flow = Flow.idle

    init(_ id: SocketID, _ socket: AcceptedSocket, on sockets: Sockets) {
        self.id = id
        self.peer = socket.peer
        self.descriptor = socket.descriptor
        self.sockets = sockets
    }

    /// Set before the first event.
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
        guard !isClosed, case .open = ownSide, !payload.bytes.isEmpty else { return }
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
        watchForWhatIsWanted()
    }

    package func resumeReading() {
        guard !isClosed, case .paused(let rest) = input else { return }
        if rest.isEmpty {
            input = .reading
            watchForWhatIsWanted()
        } else {
            input = .resuming(rest: rest)
            sockets.resumed(self)
        }
    }

    package func endOutput() {
        guard !isClosed, case .open = ownSide else { return }
        ownSide = .ending
        awaitFlush()
    }

    package func close() {
        if isClosed { return }
        if !output.isEmpty {
            // The peer gets a reset. The system frees its buffers now, instead of trying to send them for
            // minutes.
            var linger = linger(l_onoff: 1, l_linger: 0)
            setsockopt(
                descriptor, SOL_SOCKET, SO_LINGER, &linger, socklen_t(MemoryLayout.size(ofValue: linger)))
        }
        close(.ordered)
    }

    // MARK: Events of the loop

    func ready(_ readiness: Readiness) {
        if readiness.hasRoomForOutput { roomIsThere() }
        if readiness.hasInput || readiness.hasHungUp { inputIsReady(hasHungUp: readiness.hasHungUp) }
    }

    private func inputIsReady(hasHungUp: Bool) {
        if isClosed { return }
        switch input {
        case .reading: read()
        case .paused, .resuming: if hasHungUp { hungUp() }
        case .ended: if hasHungUp { close(.gone(failure)) }
        }
    }

    /// Passes the handler the bytes that were kept while reading was paused.
    func deliverRest() {
        guard !isClosed, case .resuming(let rest) = input else { return }
        input = .reading
        rest.withUnsafeBytes(deliver)
        watchForWhatIsWanted()
    }

    /// Writes the queue in one system call. Bytes that do not fit in the call wait for the next turn.
    func flush() {
        guard case .awaitingFlush = flow else { return }
        flow = .idle
        if !output.isEmpty {
            switch sockets.write(output, to: descriptor) {
            case .failed(let code): return close(.gone(SystemFault("sendmsg", code: code)))
            case .wrote(let count, let isAll):
                if !isAll { flow = .blocked }
                if count > 0 {
                    output.removeFirst(count)
                    handler?.wrote(count, on: self)
                }
            }
        }
        resume()
    }

    private func resume() {
        if isClosed { return }
        if !output.isEmpty { awaitFlush() }
        watchForWhatIsWanted()
        if case .ending = ownSide, output.isEmpty {
            ownSide = .ended
            shutdown(descriptor, Int32(SHUT_WR))
        }
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
        output.removeAll()
        sockets.remove(self, reason)
    }

    // MARK: Reading

    private func read() {
        let count = sockets.read(from: descriptor)
        if count > 0 { return deliver(UnsafeRawBufferPointer(rebasing: sockets.readBuffer[..<count])) }
        if count < 0 {
            if errno == EAGAIN || errno == EWOULDBLOCK { return }
            return close(.gone(SystemFault("recv")))
        }
        input = .ended
        watchForWhatIsWanted()
        handler?.inputEnded(on: self)
    }

    private func deliver(_ bytes: UnsafeRawBufferPointer) {
        guard let handler else { return }
        let taken = handler.received(bytes, on: self)
        if taken == bytes.count || isClosed { return }
        precondition(0..<bytes.count ~= taken, "a handler accepted \(taken) of \(bytes.count) bytes")
        input = .paused(rest: Array(bytes[taken...]))
        watchForWhatIsWanted()
    }

    // MARK: Writing and closing

    private func awaitFlush() {
        guard case .idle = flow else { return }
        flow = .awaitingFlush
        sockets.flushLater(self)
    }

    private func roomIsThere() {
        guard case .blocked = flow else { return }
        flow = .idle
        awaitFlush()
    }

    private func hungUp() {
        // Bytes that have arrived can still be read. The output cannot be written: the next flush gets the
        // error.
        watch = .hungUp
        sockets.unwatch(descriptor)
        roomIsThere()
    }

    /// The error that the system keeps for this socket.
    private var failure: SystemFault {
        var code: Int32 = 0
        var size = socklen_t(MemoryLayout.size(ofValue: code))
        getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &code, &size)
        return SystemFault("poll", code: code == 0 ? EPIPE : code)
    }

    private var wanted: Interest {
        var forOutput: Interest = []
        if case .blocked = flow { forOutput = .output }
        switch input {
        case .reading: return forOutput.union(.input)
        case .paused, .resuming, .ended: return forOutput
        }
    }

    private func watchForWhatIsWanted() {
        if isClosed { return }
        let wanted = wanted
        switch watch {
        case .watched(wanted): return
        case .watched: sockets.watch(descriptor, as: id.slot, for: wanted)
        case .hungUp:
            guard wanted.contains(.input) else { return }
            sockets.watchAgain(self, for: wanted)
        }
        watch = .watched(wanted)
    }
}

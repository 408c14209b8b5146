import Glibc

/// The shell of one socket: reads for its handler, and writes once a turn. Confined to its loop.
///
/// Orders to a closed connection do nothing.
package final class Connection {
    private enum OwnSide {
        case open
        /// Closing: the connection accepts nothing more, and writes its queue before it closes.
        case ending
        case ended
    }

    private enum Input {
        case reading
        /// Paused until the handler resumes reading. `rest` was read, but not accepted yet.
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
        /// The system accepts nothing more until it reports the socket as writable.
        case blocked
    }

    private enum Watch: Equatable {
        case watched(Interest)
        /// The other side is gone while reading is paused. The socket is not watched, because it would report
        /// that forever.
        case hungUp
    }

    package let id: SocketID
    /// The address of the other side.
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

    // MARK: Orders, described in `ConnectionPort`

    /// Bytes that were sent, but that the system has not accepted yet.
    package var waitingBytes: Int { output.bytes }

    /// When to tell the handler that the deadline has passed. Moving it to a later time costs almost nothing.
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
            // The other side gets a reset, and the system frees its buffers now instead of when it gives up.
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

    /// Passes on what was kept while reading was paused.
    func deliverRest() {
        guard !isClosed, case .resuming(let rest) = input else { return }
        input = .reading
        rest.withUnsafeBytes(deliver)
        watchForWhatIsWanted()
    }

    /// Writes the queue in one call. What does not fit in the call waits for the next turn.
    func flush() {
        guard case .awaitingFlush = flow else { return }
        flow = .idle
        if !output.isEmpty {
            switch sockets.write(output, to: descriptor) {
            case .failed(let code): return close(.gone(SystemFault("sendmsg", code: code)))
            case .wrote(let count, let isAll):
                if !isAll { flow = .blocked }
                if count > 0 {
                    output.take(count)
                    handler?.wrote(count, on: self)
                }
            }
        }
        goOn()
    }

    private func goOn() {
        if isClosed { return }
        if !output.isEmpty { awaitFlush() }
        watchForWhatIsWanted()
        if case .ending = ownSide, output.isEmpty {
            ownSide = .ended
            shutdown(descriptor, Int32(SHUT_WR))
        }
    }

    func deadlinePassed() { handler?.deadlinePassed(on: self) }

    /// Tells the handler that the connection has ended, and releases it. It may own this connection.
    func tellClosed(_ reason: CloseReason) {
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
        precondition(0..<bytes.count ~= taken, "a handler took \(taken) of \(bytes.count) bytes")
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
        // The queue cannot be written either, which the flush will find out. Bytes that were received can
        // still be read.
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

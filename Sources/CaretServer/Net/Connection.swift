import Glibc

/// The shell of one socket: it reads for its handler, and writes what it is handed once a turn. Confined to its loop.
///
/// Orders to a connection that is over do nothing; one that was told to finish can only be aborted.
package final class Connection {
    private enum Phase {
        case open
        /// Told to finish: what waits is written, and nothing is read.
        case finishing
        /// The own side is ended; input is read and dropped, so many bytes more at most.
        case dropping(bytes: Int)
        case closed
    }

    private enum Input {
        case reading
        /// Until reading is resumed; `rest` was read and not taken.
        case paused(rest: [UInt8])
        /// `rest` is handed to the handler in this turn or the next.
        case resuming(rest: [UInt8])
        case ended
    }

    private enum Flow {
        /// Nothing waits to be written.
        case idle
        /// It stands in the list of those that are flushed at the end of the turn.
        case awaitingFlush
        /// The system takes nothing more until it says so.
        case blocked
    }

    private enum Watch: Equatable {
        case watched(Interest)
        /// The other side is gone while nothing is read: to watch on would tell so for ever.
        case hungUp
    }

    package let id: ConnectionID
    /// The other side's address.
    package let peer: SocketAddress
    let descriptor: Int32
    /// The sockets of its loop, it among them.
    package unowned let sockets: Sockets
    private var handler: (any ConnectionHandler)?
    private var phase = Phase.open
    private var input = Input.reading
    private var watch = Watch.watched(.input)
    private var output = OutputQueue()
    private var flow = Flow.idle

    init(_ id: ConnectionID, _ socket: AcceptedSocket, on sockets: Sockets) {
        self.id = id
        self.peer = socket.peer
        self.descriptor = socket.descriptor
        self.sockets = sockets
    }

    /// The handler is there from the first event on.
    func begin(_ handler: any ConnectionHandler) { self.handler = handler }

    private var isOpen: Bool {
        switch phase {
        case .open: true
        case .finishing, .dropping, .closed: false
        }
    }

    // MARK: Orders

    /// Bytes that were sent and that the system has not taken yet.
    package var waitingBytes: Int { output.bytes }

    /// When the handler is to be told that the deadline passed. To move it to later costs next to nothing.
    package var deadline: Moment? {
        get { isOpen ? sockets.deadline(of: id.slot) : nil }
        set { if isOpen { sockets.setDeadline(newValue, of: id.slot) } }
    }

    /// Has the bytes written behind all that were sent before, at the end of the turn.
    package func send(_ payload: Payload, from source: OutputSource = .handler) {
        guard isOpen, !payload.bytes.isEmpty else { return }
        output.append(payload, from: source)
        awaitFlush()
    }

    /// Reads nothing more until reading is resumed, so that the other side must wait.
    package func pauseReading() {
        guard isOpen else { return }
        switch input {
        case .reading: input = .paused(rest: [])
        case .resuming(let rest): input = .paused(rest: rest)
        case .paused, .ended: return
        }
        watchForWhatIsWanted()
    }

    package func resumeReading() {
        guard isOpen, case .paused(let rest) = input else { return }
        if rest.isEmpty {
            input = .reading
            watchForWhatIsWanted()
        } else {
            input = .resuming(rest: rest)
            sockets.resumed(self)
        }
    }

    /// Writes what waits, ends the own side, and closes once the other side has had the time to read it.
    ///
    /// What is not taken by `deadline` is given up. Input is dropped from now on.
    package func finish(by deadline: Moment) {
        guard isOpen else { return }
        sockets.setDeadline(deadline, of: id.slot)
        phase = .finishing
        if case .ended = input {} else { input = .paused(rest: []) }
        awaitFlush()
    }

    /// Ends it at once, told to finish or not; what waits, in the system too, is given up.
    package func abort() {
        if case .closed = phase { return }
        // The other side gets a reset, and the system's buffers are free now and not when it gives up.
        var linger = linger(l_onoff: 1, l_linger: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &linger, socklen_t(MemoryLayout.size(ofValue: linger)))
        close(.aborted)
    }

    // MARK: Events of the loop

    func ready(_ readiness: Readiness) {
        if readiness.hasRoomForOutput { roomIsThere() }
        if readiness.hasInput || readiness.hasHungUp { inputIsReady(hasHungUp: readiness.hasHungUp) }
    }

    private func inputIsReady(hasHungUp: Bool) {
        switch (phase, input) {
        case (.closed, _): return
        case (.dropping(let bytes), _): drop(upTo: bytes)
        case (.open, .reading): read()
        case (.open, .paused), (.open, .resuming), (.finishing, .paused), (.finishing, .reading),
            (.finishing, .resuming):
            if hasHungUp { hungUp() }
        case (.open, .ended), (.finishing, .ended):
            if hasHungUp { close(.gone(failure)) }
        }
    }

    /// Hands over what was kept while reading was paused.
    func deliverRest() {
        guard isOpen, case .resuming(let rest) = input else { return }
        input = .reading
        rest.withUnsafeBytes(deliver)
        watchForWhatIsWanted()
    }

    /// Writes what waits, in one call: what is more than that waits for the next turn.
    func flush() {
        guard case .awaitingFlush = flow else { return }
        flow = .idle
        if !output.isEmpty {
            switch sockets.write(output, to: descriptor) {
            case .failed(let code): return close(.gone(SystemFault("sendmsg", code: code)))
            case .wrote(let count, let isAll):
                if !isAll { flow = .blocked }
                tell(written: count)
            }
        }
        goOn()
    }

    private func goOn() {
        if case .closed = phase { return }
        if !output.isEmpty { awaitFlush() }
        watchForWhatIsWanted()
        if case .finishing = phase, output.isEmpty { endOwnSide() }
    }

    func deadlinePassed() {
        switch phase {
        case .open: handler?.deadlinePassed(on: self)
        case .finishing: close(.notTaken)
        case .dropping: close(.finished)
        case .closed: return
        }
    }

    /// Tells the handler that it is over, and lets it go: it may hold this connection.
    func tellClosed(_ reason: CloseReason) {
        handler?.closed(reason, on: self)
        handler = nil
    }

    func close(_ reason: CloseReason) {
        if case .closed = phase { return }
        phase = .closed
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
        if taken == bytes.count || !isOpen { return }
        precondition(0..<bytes.count ~= taken, "a handler took \(taken) of \(bytes.count) bytes")
        input = .paused(rest: Array(bytes[taken...]))
        watchForWhatIsWanted()
    }

    private func drop(upTo bytes: Int) {
        let count = sockets.read(from: descriptor)
        if count < 0, errno == EAGAIN || errno == EWOULDBLOCK { return }
        if count <= 0 || count >= bytes { return close(.finished) }
        phase = .dropping(bytes: bytes - count)
    }

    // MARK: Writing and closing

    private func tell(written count: Int) {
        var count = count
        while let written = output.take(&count) { handler?.wrote(written, on: self) }
    }

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

    private func endOwnSide() {
        shutdown(descriptor, Int32(SHUT_WR))
        if case .ended = input { return close(.finished) }
        phase = .dropping(bytes: sockets.settings.droppingBytes)
        sockets.setDeadline(
            sockets.now.after(milliseconds: sockets.settings.droppingMilliseconds), of: id.slot)
        watchForWhatIsWanted()
    }

    private func hungUp() {
        // What waits cannot be written either, which the flush finds out; what is kept may still be taken.
        watch = .hungUp
        sockets.unwatch(descriptor)
        roomIsThere()
        if case .finishing = phase { close(.gone(failure)) }
    }

    /// The fault that the system keeps for this socket.
    private var failure: SystemFault {
        var code: Int32 = 0
        var size = socklen_t(MemoryLayout.size(ofValue: code))
        getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &code, &size)
        return SystemFault("poll", code: code == 0 ? EPIPE : code)
    }

    private var wanted: Interest {
        var forOutput: Interest = []
        if case .blocked = flow { forOutput = .output }
        switch (phase, input) {
        case (.open, .reading): return forOutput.union(.input)
        case (.dropping, _): return .input
        case (.open, .paused), (.open, .resuming), (.open, .ended), (.finishing, _), (.closed, _):
            return forOutput
        }
    }

    private func watchForWhatIsWanted() {
        if case .closed = phase { return }
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

import CaretLog
import CaretWire

/// How a connection ends.
extension ConnectionState {
    /// Begins to close the connection. The connection's last line is still delivered. For a while, input is
    /// read and dropped. If it were not read, a TCP reset could make the peer lose the last line.
    mutating func beginClosing(_ end: ConnectionEnd, at once: Bool = false) {
        switch phase {
        case .closing, .closed: return
        case .joining, .welcomed, .finishing: emit(.leave)
        case .expectingHello, .authenticating: break
        }
        dropEverything()
        self.end = end
        phase = .closing(until: once ? closingUntil : nil, droppedBytes: 0)
        emit(.endOutput)
    }

    private var closingUntil: Int64 { now + Int64(limits.closingSeconds) * 1_000 }

    mutating func close() {
        switch phase {
        case .closed: return
        case .joining, .welcomed, .finishing: emit(.leave)
        case .expectingHello, .authenticating, .closing: break
        }
        dropEverything()
        phase = .closed
        emit(.close)
    }

    private mutating func dropEverything() {
        dropInput()
        waiting.removeAll()
        documents.removeAll()
        refusedCloses = []
        underway = nil
        longRequests = 0
    }

    /// Sends `bye` and closes the connection. If the reason is `tooSlow`, the time limit for closing starts
    /// now. Otherwise it starts after the client has received `bye`.
    mutating func say(goodbye reason: ByeReason, retryAfterMilliseconds: Int? = nil) {
        switch phase {
        case .expectingHello, .authenticating, .joining, .welcomed, .finishing:
            send(.bye(Bye(reason: reason, retryAfterMilliseconds: retryAfterMilliseconds)))
            beginClosing(.sentBye(reason), at: reason == .tooSlow)
        case .closing, .closed: break
        }
    }

    /// Ends the connection because a session reads too slowly for its room.
    package mutating func disconnect(_ session: SessionID) -> [ConnectionAction] {
        if documents[session] != nil { say(goodbye: .tooSlow) }
        return finishEvent()
    }

    /// The server stops: requests under way are answered, pushes in rooms are acked, and nothing more is
    /// accepted.
    mutating func shutDown(_ retryAfterMilliseconds: Int?) {
        let reason = FinishReason.shuttingDown(retryAfterMilliseconds: retryAfterMilliseconds)
        switch phase {
        case .expectingHello:
            fail(refusal(retryAfterMilliseconds), nil)
        case .authenticating(_, let id), .joining(_, let id):
            fail(refusal(retryAfterMilliseconds), id)
        case .welcomed(let member):
            dropInput()
            waiting.removeAll()
            phase = .finishing(member, reason)
            closeSessions()
        case .finishing(let member, _): phase = .finishing(member, reason)
        case .closing, .closed: break
        }
    }

    /// The token is no longer valid: requests under way are answered, pushes in rooms are acked or refused, and
    /// nothing more is accepted.
    mutating func tokenEnded(_ reason: ByeReason) {
        switch phase {
        case .welcomed(let member):
            dropInput()
            waiting.removeAll()
            phase = .finishing(member, .tokenEnded(reason))
            for session in documents.sessions where documents.stage(of: session) == .open { finish(session) }
        case .finishing(_, .inputEnded), .expectingHello, .authenticating, .joining: say(goodbye: reason)
        case .finishing(_, .shuttingDown), .finishing(_, .tokenEnded), .closing, .closed: break
        }
    }

    private func refusal(_ retryAfterMilliseconds: Int?) -> ErrorReport {
        ErrorReport(
            .shuttingDown, "the server is shutting down", retryAfterMilliseconds: retryAfterMilliseconds)
    }

    /// Closes all open sessions. Before a room closes its session, it sends the acks that are due.
    private mutating func closeSessions() {
        for session in documents.sessions where documents.stage(of: session) == .open { finish(session) }
    }

    mutating func finish(_ session: SessionID) {
        documents.setStage(.closing, of: session)
        // A client without a valid token gets only the answers to its pushes.
        let isSignedOut = if case .finishing(_, .tokenEnded) = phase { true } else { false }
        sendToRoom(isSignedOut ? .rightsChanged(session, .none) : .close(session, nil), of: session)
    }

    /// Continues to end the connection if it has sent everything that it must send.
    mutating func finishIfDone() {
        if input.hasEnded { finishInput() }
        if case .finishing(_, let reason) = phase, documents.isEmpty, underway == nil {
            switch reason {
            case .inputEnded: if longRequests == 0 { beginClosing(.left) }
            case .shuttingDown(let retry):
                if longRequests == 0 { say(goodbye: .shuttingDown, retryAfterMilliseconds: retry) }
            case .tokenEnded(let reason): say(goodbye: reason)
            }
        }
        if case .closing(let until, let dropped) = phase, output.isEmpty {
            // The peer has stopped sending and has received everything.
            if input.hasEnded { return close() }
            phase = .closing(until: until ?? closingUntil, droppedBytes: dropped)
        }
    }

    private mutating func finishInput() {
        switch phase {
        case .expectingHello where !input.hasUnread: beginClosing(.left)
        case .welcomed(let member)
        where !input.hasUnread && waiting.isEmpty && underway == nil && longRequests == 0:
            dropInput()
            phase = .finishing(member, .inputEnded)
            closeSessions()
        case .expectingHello, .authenticating, .joining, .welcomed, .finishing, .closing, .closed: break
        }
    }
}

import CaretCore
import CaretLog
import CaretWire

/// Handling what rooms and the hub send.
extension ConnectionState {
    /// Sends an event to a session's room.
    mutating func sendToRoom(_ event: RoomEvent, of session: SessionID) {
        guard let document = documents[session]?.document else { return }
        emit(.sendToRoom(document, event))
    }

    /// Handles the hub's answer to the current request.
    mutating func answered(_ envelope: Envelope<ServerMessage>) {
        let request = underway
        guard endRequest() else { return }
        if case .waitingForAnswer(.authenticate) = request, case .error(let report) = envelope.message,
            report.code == .known(.unauthorized) || report.code == .known(.tokenEnded)
        {
            return tokenRefused(report, envelope.id)
        }
        if case .waitingForAnswer(.read(let read)) = request, case .text(let text) = envelope.message {
            settledReads.add(read, text)
        }
        sendAnswer(envelope)
    }

    /// Sends the hub's answer to a request. While the server's memory for output is used up, a long answer is refused
    /// instead. A text is not: a long one waited for memory before it was encoded.
    private mutating func sendAnswer(_ envelope: Envelope<ServerMessage>) {
        var writer = JSONWriter()
        envelope.message.encode(id: envelope.id, into: &writer)
        switch envelope.message {
        case .error(let report): note(report)
        case .text: break
        default:
            if writer.bytes.count > Limits.freeOutput, settings.isOutputUsedUp() {
                return fail(ErrorReport(.noMemoryForAnswer, document: nil), envelope.id)
            }
        }
        send(writer.bytes)
    }

    mutating func answered(_ line: TextLine) {
        if !endRequest() { return }
        output.add(line.count, of: .connection, at: now)
        emit(.sendText(line))
    }

    /// Ends the current request, which the hub has answered. Returns false if no request waits for an answer.
    private mutating func endRequest() -> Bool {
        switch underway {
        case .waitingForAnswer: break
        case .opening(let session, _): documents.remove(session)
        case .authenticating, .closing, .diverged, nil: return false
        }
        underway = nil
        return true
    }

    /// The current request takes long, so later requests no longer wait for it.
    mutating func startedLongRequest() {
        guard case .waitingForAnswer = underway else { return }
        underway = nil
        longRequests += 1
    }

    mutating func reported(_ envelope: Envelope<ServerMessage>) {
        guard isWelcomed else { return }
        if case .admin(.progress) = envelope.message {
            // A client that reads slowly gets progress less often.
            if !mayAnswer { return }
        } else {
            longRequests -= 1
        }
        sendAnswer(envelope)
    }

    /// The fast path for lines from a room to an open session. The caller must write the lines unchanged, and
    /// then run the returned actions, usually none. Returns nil if the caller must use `sent` instead.
    package mutating func forwardLines(_ bytes: Int, to session: SessionID) -> [ConnectionAction]? {
        guard isWelcomed, documents.stage(of: session) == .open else { return nil }
        output.add(bytes, of: .session(session), at: now)
        return finishEvent()
    }

    /// Handles lines from a room. They are for a session of this connection, or for its `sessionless` id.
    package mutating func sent(_ output: RoomOutput, to session: SessionID) -> [ConnectionAction] {
        guard isWelcomed else { return [] }
        pass(output, to: session)
        return finishEvent()
    }

    private mutating func pass(_ output: RoomOutput, to session: SessionID) {
        if session == .sessionless(id) {
            if case .waitingForAnswer = underway { underway = nil }
            send(output.bytes)
        } else if let stage = documents.stage(of: session) {
            pass(output, to: session, stage)
        } else if output.kind != .closeRefused || refusedCloses.remove(session) == nil {
            // This session has already ended, but the room still answers one of its pushes. If the room
            // refuses a close, the client may know already that the session has ended.
            send(output.bytes)
        }
    }

    private mutating func pass(_ output: RoomOutput, to session: SessionID, _ stage: OpenDocument.Stage) {
        let line = output.bytes
        if stage == .open { return send(line, of: .session(session)) }
        if endOpening(of: session) {
            send(line, of: .session(session))
            return finishIfFinishing(session)
        }
        // The client will receive `bye`, so it needs no `rights` message.
        if case .finishing(_, .tokenEnded) = phase, output.kind == .rights { return }
        if stage == .closing, output.kind == .closed {
            // If the client did not request this close, it does not get `closed`.
            guard case .closing(session, let name, let id, _) = underway else { return }
            underway = .closing(session, name, id, isAnswered: true)
        }
        send(line, of: .session(session))
    }

    /// Handles a line with the whole text of an open session, or of one that is being opened.
    package mutating func sent(_ line: TextLine, to session: SessionID) -> [ConnectionAction] {
        guard isWelcomed, documents.stage(of: session) != nil else { return [] }
        let isOpening = endOpening(of: session)
        output.add(line.count, of: .session(session), at: now)
        emit(.sendText(line))
        if isOpening { finishIfFinishing(session) }
        return finishEvent()
    }

    /// Ends the opening of a session, which its room has answered. Returns false if the session is not being opened.
    private mutating func endOpening(of session: SessionID) -> Bool {
        guard case .opening(session, _) = underway else { return false }
        underway = nil
        documents.setStage(.open, of: session)
        return true
    }

    /// In the phase `finishing`, the connection closes a session that was just opened.
    private mutating func finishIfFinishing(_ session: SessionID) {
        if case .finishing = phase { finish(session) }
    }

    /// A session of this connection has ended.
    package mutating func ended(_ session: SessionID) -> [ConnectionAction] {
        documents.remove(session)
        switch underway {
        case .opening(session, _), .diverged(session, _): underway = nil
        case .closing(session, let name, let id, let isAnswered):
            underway = nil
            if !isAnswered { refuseClose(of: session, name, id) }
        case .waitingForAnswer, .authenticating, .opening, .closing, .diverged, nil: break
        }
        return finishEvent()
    }

    /// Refuses the client's request to close a session, because the room has already ended this session.
    /// Usually the request had not reached the room by then, so the room will also refuse it.
    private mutating func refuseClose(of session: SessionID, _ name: WireString, _ id: RequestID?) {
        fail(.notOpen, "the document was closed before the request arrived", id, document: name)
        refusedCloses.insert(session)
        // If the close reached the room before it ended the session, the room sends no refusal. The session
        // would then stay in `refusedCloses` forever. So above a limit, the oldest session is removed.
        if refusedCloses.count > limits.announced.documents, let oldest = refusedCloses.min() {
            refusedCloses.remove(oldest)
        }
    }

    /// Handles an event that could not be delivered to its room, because the room had been dropped.
    package mutating func undelivered(_ event: RoomEvent) -> [ConnectionAction] {
        guard isWelcomed else { return [] }
        switch event {
        case .push(let push):
            fail(
                .notFound, "there is no such document", push.id, document: push.document, seq: Int(push.seq))
        case .close(let session, _):
            if refusedCloses.remove(session) != nil { return finishEvent() }
            defer { refusedCloses.remove(session) }
            return ended(session)
        case .diverged(let session, _), .rightsChanged(let session, _): return ended(session)
        case .open, .renewed, .trimmed, .storeHead, .hubAppends, .notesChanged, .nowCalled, .bus, .rename,
            .delete, .redact,
            .leave, .awaitPushes, .select, .written, .answered, .computed, .encoded, .waitEnded, .timePassed:
            break
        }
        return finishEvent()
    }
}

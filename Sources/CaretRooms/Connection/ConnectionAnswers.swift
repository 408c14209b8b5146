import CaretCore
import CaretLog
import CaretWire

/// Handling what rooms and the hub send.
extension ConnectionState {
    /// Sends something to a session's room.
    mutating func tell(_ event: RoomEvent, of session: SessionID) {
        guard let document = documents[session]?.document else { return }
        order(.tell(document, event))
    }

    /// The hub's answer to the current request.
    mutating func answered(_ envelope: Envelope<ServerMessage>) {
        switch underway {
        case .asked: break
        case .opening(let session, _): documents.remove(session)
        case .closing, .diverged, nil: return
        }
        underway = nil
        if case .error(let report) = envelope.message { note(report) }
        send(envelope.message, envelope.id)
    }

    /// The current request takes long, so nothing waits for it.
    mutating func beganLong() {
        guard case .asked = underway else { return }
        underway = nil
        longRequests += 1
    }

    mutating func reported(_ envelope: Envelope<ServerMessage>) {
        guard isTalking else { return }
        if case .admin(.progress) = envelope.message {
            // A client that reads slowly gets progress less often.
            if output.waiting > limits.waitingOutput { return }
        } else {
            longRequests -= 1
        }
        if case .error(let report) = envelope.message { note(report) }
        send(envelope.message, envelope.id)
    }

    /// A room sends bytes of lines to a session of this connection. Returns nil if `sent` must handle them.
    /// Otherwise they are written as they are, and the result is the further actions, usually none.
    package mutating func forwards(_ bytes: Int, to session: SessionID) -> [ConnectionAction]? {
        guard isTalking, documents.stage(of: session) == .open else { return nil }
        output.add(bytes, of: .session(session), at: now)
        return settled()
    }

    /// A room sends something to a session of this connection, or to its guest.
    package mutating func sent(_ output: RoomOutput, to session: SessionID) -> [ConnectionAction] {
        guard isTalking else { return [] }
        pass(output, to: session)
        return settled()
    }

    private mutating func pass(_ output: RoomOutput, to session: SessionID) {
        if session == .guest(of: id) {
            if case .asked = underway { underway = nil }
            send(output.bytes)
        } else if let stage = documents.stage(of: session) {
            pass(output, to: session, stage)
        } else if output.kind == .closeRefused, lateCloses.remove(session) != nil {
            // The room had ended the session, and the client knows it.
            return
        } else {
            // The session has ended, and the room still answers one of its pushes.
            send(output.bytes)
        }
    }

    private mutating func pass(_ output: RoomOutput, to session: SessionID, _ stage: OpenDocument.Stage) {
        let line = output.bytes
        if stage == .open { return send(line, of: .session(session)) }
        if case .opening(session, _) = underway {
            underway = nil
            documents.setStage(.open, of: session)
            send(line, of: .session(session))
            // It came too late to be useful.
            if case .finishing = phase { finish(session) }
            return
        }
        // `bye` says it already.
        if case .finishing(_, .revoked) = phase, output.kind == .rights { return }
        if stage == .closing, output.kind == .closed {
            // If the connection itself closes the document, no client is waiting for the answer.
            guard case .closing(session, let name, let id, _) = underway else { return }
            underway = .closing(session, name, id, isAnswered: true)
        }
        send(line, of: .session(session))
    }

    /// A session of this connection has ended.
    package mutating func ended(_ session: SessionID) -> [ConnectionAction] {
        guard isTalking else { return [] }
        documents.remove(session)
        switch underway {
        case .opening(session, _), .diverged(session, _): underway = nil
        case .closing(session, let name, let id, let isAnswered):
            underway = nil
            if !isAnswered { refuseClose(of: session, name, id) }
        case .asked, .opening, .closing, .diverged, nil: break
        }
        return settled()
    }

    /// The room ended the session before it saw the request to close it. It will refuse that request.
    private mutating func refuseClose(of session: SessionID, _ name: WireString, _ id: RequestID?) {
        fail(.notOpen, "the document was closed before this was seen", id, document: name)
        lateCloses.insert(session)
        // If the room did see it, it sends nothing more.
        if lateCloses.count > limits.announced.documents, let oldest = lateCloses.min() {
            lateCloses.remove(oldest)
        }
    }

    /// The message found no room: the document was closed meanwhile.
    package mutating func undelivered(_ event: RoomEvent) -> [ConnectionAction] {
        guard isTalking else { return [] }
        switch event {
        case .push(let push):
            fail(
                .notFound, "there is no such document", push.id, document: push.document, seq: Int(push.seq))
        case .close(let session, _):
            if lateCloses.remove(session) != nil { return settled() }
            defer { lateCloses.remove(session) }
            return ended(session)
        case .diverged(let session, _), .rightsChanged(let session, _): return ended(session)
        case .open, .renewed, .trimmed, .rename, .delete, .leave, .awaitPushes, .select, .written, .answered,
            .computed, .timePassed:
            break
        }
        return settled()
    }
}

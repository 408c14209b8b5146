package import CaretLog
package import CaretWire

/// An action that a connection returns for its runner. The comments name the event with which the runner
/// answers.
///
/// Large payloads are stored by reference. Nearly all actions are lines to send, and lists of actions are
/// moved around often.
package enum ConnectionAction: Equatable, Sendable {
    /// Write one or several lines after all earlier lines. The runner reports delivered bytes with `written`.
    case send([UInt8])
    /// The same as `send`, for a line with a long text that many connections share.
    indirect case sendText(TextLine)
    /// The same as `send`, for bytes that many connections share.
    case sendShared(Payload)
    /// Stop reading from the peer until the action `resumeReading`.
    case pauseReading
    case resumeReading
    /// Reserve bytes of the server's budget for an incomplete line. If the budget is too small, the runner
    /// answers `lineRefused` before it passes on any more input. If the budget is large enough, the runner
    /// does not answer.
    case claimLine(bytes: Int)
    case releaseLine(bytes: Int)
    /// Look up the token. The runner answers with `authenticated`.
    indirect case authenticate(token: WireString?)
    /// Ask the hub to admit the connection. The hub answers with `admitted` or `refused`.
    indirect case join(JoinRequest)
    /// Send a request to the hub. The hub answers with `answered`, or a room answers with a line to the
    /// request's session.
    indirect case ask(HubRequest)
    /// Inform the hub that the client has received the latest batch of messages about followed documents.
    case deliveredDocuments
    /// Inform the hub that the connection has ended. After this action, the connection sends nothing more to
    /// the hub or to rooms.
    case leave
    /// Send an event to the room of this document. The runner delivers lines from the room with `sent`, and
    /// reports the end of a session with `ended`. If the document has no room, the runner answers with
    /// `undelivered`.
    indirect case sendToRoom(DocumentID, RoomEvent)
    /// Send the connection `timePassed` at this time.
    case wake(at: Int64)
    /// Once all lines are written, close the sending side. Input is still read.
    case endOutput
    /// Close the connection now, and send this state no more events.
    case close
}

/// What the hub sends to a connection.
package enum HubMessage: Equatable, Sendable {
    /// The answer to `join`: the connection is admitted. Older connections of the same user and client have
    /// ended. `expiresIn` is the time until the token ends, in milliseconds.
    case admitted(expiresIn: Int?)
    /// The answer to `join` if the hub refuses the connection.
    case refused(ErrorReport)
    /// The answer to the current request.
    case answered(Envelope<ServerMessage>)
    /// The answer to the current request, which reads a long text.
    case answeredWithText(TextLine)
    /// The current request takes long, and `reported` will answer it.
    case startedLongRequest
    /// The progress of a long request, or its answer.
    case reported(Envelope<ServerMessage>)
    /// The hub has assigned the session to the room of this document. This message arrives before all lines
    /// from the room.
    case assignedRoom(SessionID, DocumentID)
    /// A batch of messages about followed documents. The connection answers with `deliveredDocuments`.
    case documents([ServerMessage])
    /// The grants have changed, or the client has shown another token.
    case identityChanged(Identity)
    /// Close the connection: it was replaced, its token no longer counts, or it reads news of documents too
    /// slowly.
    case ended(ByeReason)
    case shuttingDown(retryAfterMilliseconds: Int?)
}

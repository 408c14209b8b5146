package import CaretLog
package import CaretWire

/// An action that a connection returns for its runner. The comments name the event with which the runner
/// answers.
///
/// Large payloads are stored by reference. Nearly all actions are lines to send, and lists of actions are
/// moved around often.
package enum ConnectionAction: Equatable, Sendable {
    /// Write one or several lines after all earlier lines. Answered by `written` as the bytes are delivered.
    case send([UInt8])
    /// Stop reading from the peer until `resumeReading`.
    case pauseReading
    case resumeReading
    /// Reserve bytes of the server's budget for an incomplete line. If the budget is too small, `lineRefused`
    /// follows before any more input. Otherwise there is no answer.
    case claimLine(bytes: Int)
    case releaseLine(bytes: Int)
    /// Look up the token. Answered by `authenticated`.
    indirect case authenticate(token: WireString?)
    /// Ask the hub to admit the connection. Answered by `admitted` or `refused`.
    indirect case join(JoinRequest)
    /// Send a request to the hub. Answered by `answered`, or by a room that sends a line to the request's
    /// session.
    indirect case ask(HubRequest)
    /// Inform the hub that the client has received the latest batch about followed documents.
    case deliveredDocuments
    /// Inform the hub that the connection has ended. It sends nothing more to the hub or to rooms.
    case leave
    /// Send an event to the room of this document. Lines from the room arrive by `sent`, and the end of a
    /// session by `ended`. If there is no such room, the answer is `undelivered`.
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
    /// The answer to `join`: no other connection has this user and client any more.
    case admitted
    /// The answer to `join` if the hub refuses the connection.
    case refused(ErrorReport)
    /// The answer to the current request.
    case answered(Envelope<ServerMessage>)
    /// The current request takes long, and `reported` will answer it.
    case startedLongRequest
    /// The progress of a long request, or its answer.
    case reported(Envelope<ServerMessage>)
    /// The hub has assigned the session to the room of this document. This message arrives before all lines
    /// from the room.
    case assignedRoom(SessionID, DocumentID)
    /// A batch of messages about followed documents. Answered by `deliveredDocuments`.
    case documents([ServerMessage])
    case grantsChanged(Grants)
    /// Close the connection: it was replaced, its token was revoked, or it reads news of documents too
    /// slowly.
    case ended(ByeReason)
    case shuttingDown(retryAfterMilliseconds: Int?)
}

package import CaretLog
package import CaretWire

/// What a connection wants done. The runner answers each with the event named here.
///
/// Large values are stored by reference: nearly all actions are lines to send, and actions are moved around
/// in lists.
package enum ConnectionAction: Equatable, Sendable {
    /// One or several lines to be written after all earlier lines. Answered by `written` as the bytes are
    /// delivered.
    case send([UInt8])
    /// Stop reading from the peer until `resumeReading`.
    case pauseReading
    case resumeReading
    /// Reserve bytes of the server's budget for an incomplete line. If the budget has not enough, answered by
    /// `lineRefused` before any more bytes. Otherwise not answered.
    case claimLine(bytes: Int)
    case releaseLine(bytes: Int)
    /// Answered by `authenticated`.
    indirect case authenticate(token: WireString?)
    /// To the hub. Answered by `admitted` or `refused`.
    indirect case join(Joining)
    /// To the hub. Answered by `answered`, or by a room with a line to the request's session.
    indirect case ask(HubRequest)
    /// To the hub: what it sent about followed documents has been delivered.
    case tookDocuments
    /// To the hub: the connection sends no more requests, and nothing more to any room.
    case leave
    /// To the room of this document. Answered by what the room sends and ends, or by `undelivered` if there
    /// is no such room.
    indirect case tell(DocumentID, RoomEvent)
    /// Answered by `timePassed` at this time.
    case wake(at: Int64)
    /// Once all lines are written, close the sending side. Input is still read.
    case endOutput
    /// Close the connection now, and call it no more.
    case close
}

/// What the hub sends to a connection.
package enum ConnectionNews: Equatable, Sendable {
    /// The answer to `join`: no other connection has this user and client any more.
    case admitted
    /// The answer to `join`.
    case refused(ErrorReport)
    /// The answer to the current request.
    case answered(Envelope<ServerMessage>)
    /// The current request takes long, and `reported` will answer it.
    case begun
    /// The progress of a long request, or its answer.
    case reported(Envelope<ServerMessage>)
    /// A session will be in the room of this document. What the room sends to it comes after this.
    case placed(SessionID, DocumentID)
    /// About followed documents. Answered by `tookDocuments`.
    case documents([ServerMessage])
    case grantsChanged(Grants)
    /// Close the connection: it was replaced, its token was revoked, or it follows too slowly.
    case ended(ByeReason)
    case shuttingDown(retryAfterMilliseconds: Int?)
}

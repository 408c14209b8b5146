package import CaretLog
package import CaretWire

/// What a connection wants done. Whoever runs it answers with the event that each names.
///
/// What is large lies elsewhere: most actions by far are lines to send, and they are moved about in lists.
package enum ConnectionAction: Equatable, Sendable {
    /// A line, or several, to be written behind all lines before. Answered by `written`, as the bytes are taken.
    case send([UInt8])
    /// No bytes are to be read from the peer until `resumeReading`.
    case pauseReading
    case resumeReading
    /// So many bytes of a begun line are to be claimed of the server's budget. Answered by `lineRefused` where it has
    /// not got them, before more bytes are handed over; not at all where it has.
    case claimLine(bytes: Int)
    case releaseLine(bytes: Int)
    /// Answered by `authenticated`.
    indirect case authenticate(token: WireString?)
    /// To the hub. Answered by the news `admitted` or `refused`.
    indirect case join(Joining)
    /// To the hub. Answered by the news `answered`, or by a room with a line to the request's session.
    indirect case ask(HubRequest)
    /// To the hub: what it told of followed documents has been taken.
    case tookDocuments
    /// To the hub: the connection asks nothing more, and tells no room anything more.
    case leave
    /// To the room of this document. Answered by what the room sends and ends; by `undelivered` where it is no more.
    indirect case tell(DocumentID, RoomEvent)
    /// Answered by `timePassed`, once it is that late.
    case wake(at: Int64)
    /// Once all lines are written, the peer is to be told that no more come; its input is read on.
    case endOutput
    /// The connection is to be closed now, and nothing more is to be told to it.
    case close
}

/// What the hub tells a connection.
package enum ConnectionNews: Equatable, Sendable {
    /// To `join`: nobody else is this user and client any more.
    case admitted
    /// To `join`.
    case refused(ErrorReport)
    /// To the request that is under way.
    case answered(Envelope<ServerMessage>)
    /// To the request that is under way: it takes long, and its answer comes by `reported`.
    case begun
    /// Of a request that takes long: how far it has come, or its answer.
    case reported(Envelope<ServerMessage>)
    /// A session will be in the room of this document; what the room sends it comes behind this.
    case placed(SessionID, DocumentID)
    /// Of followed documents. Answered by `tookDocuments`.
    case documents([ServerMessage])
    case grantsChanged(Grants)
    /// The connection is to be closed, since another took its place, its token is good for nothing any more, or it
    /// follows too slowly.
    case ended(ByeReason)
    case shuttingDown(retryAfterMilliseconds: Int?)
}

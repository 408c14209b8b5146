package import CaretWire

/// What the shell of a client is to do, in this order.
package enum ClientAction: Equatable, Sendable {
    case connect
    /// Drop the connection, or the attempt at one; nothing that it says later counts.
    case disconnect
    case send(ClientMessage, id: RequestID?)
    /// The server has welcomed the client.
    case greeted(Welcome)
    case answer(AskNumber, ServerMessage)
    case fail(AskNumber, AskFault)
    /// The request has come so far, and its answer is still to come.
    case report(AskNumber, RequestProgress)
    case tell(DocumentNews)
    /// Something has happened to an open document.
    case update(DocumentKey, DocumentUpdate)
    /// Keep what is unsaved of this document by now, before anything else is done.
    case keep(DocumentKey)
    /// The client is over, for this reason.
    case end(ConnectionFault)
    /// Call `timePassed` at this moment, or a little later; orders given before still stand.
    case wake(at: Moment)
}

/// Names a request of this client, and its message.
package struct AskNumber: Hashable, Sendable {
    let value: Int

    package init(value: Int) {
        self.value = value
    }

    var id: RequestID { .number(value) }
}

/// Why a request has no answer.
package enum AskFault: Equatable, Sendable {
    case refused(ServerRefusal)
    case connection(ConnectionFault)
    case cancelled
    /// Too many requests have no answer yet.
    case tooMany(limit: Int)

    var error: any Error {
        switch self {
        case .refused(let refusal): refusal
        case .connection(let fault): fault
        case .cancelled: CancellationError()
        case .tooMany(let limit): TooManyRequests(limit: limit)
        }
    }
}

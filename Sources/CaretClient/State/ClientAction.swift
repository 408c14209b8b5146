package import CaretReplica
package import CaretWire

/// What the shell of a client must do. Actions must be run in the order in which they are returned.
package enum ClientAction: Equatable, Sendable {
    /// Connect to this server. The state ends the attempt itself after this time.
    case connect(to: ServerAddress, within: Milliseconds)
    /// Ask the app for a token, and answer with `fetched`.
    case fetchToken(question: Int)
    /// Write the user's name to the folder of unsaved edits before the next action.
    case keepUser(WireString)
    /// Drop the connection or the attempt to connect, and ignore its later events.
    case disconnect
    case send(ClientMessage, id: RequestID?)
    /// Report that the server has welcomed the client.
    case welcomed(Welcome)
    case answer(RequestNumber, ServerMessage)
    case fail(RequestNumber, RequestFault)
    /// Report the progress of a request that has no answer yet.
    case reportProgress(RequestNumber, RequestProgress)
    /// Pass an event to the sequence that follows documents.
    case deliver(FollowEvent)
    /// Pass an update to the readers of an open document.
    case update(DocumentKey, DocumentUpdate)
    /// Write the current unsaved edits of this document to its file before the next action.
    case keep(DocumentKey)
    /// Tell all waiting callers that the client has ended for this reason.
    case end(ConnectionFault)
    /// Call `timePassed` at this moment or a little later. Earlier `wake` actions stay valid.
    case wake(at: Moment)
}

/// The number of a request, which is also the id of its message.
package struct RequestNumber: Hashable, Sendable {
    let value: Int

    package init(value: Int) {
        self.value = value
    }

    var id: RequestID { .number(value) }
}

/// Why a request failed.
package enum RequestFault: Equatable, Sendable {
    case refused(ServerRefusal)
    case connection(ConnectionFault)
    case cancelled
    /// The client already has the maximum number of unanswered requests.
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

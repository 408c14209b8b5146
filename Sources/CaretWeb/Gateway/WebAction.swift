package import CaretLog
package import CaretRooms
package import CaretWire

/// An action that a web connection returns for its shell.
package enum WebAction: Equatable, Sendable {
    /// An action that any connection can return, with or without HTTP. The bytes of `send` are written as
    /// they are.
    case connection(ConnectionAction)
    /// Send each of these lines as a message of the WebSocket. After writing, the shell calls `written` with
    /// the number of bytes of the frames.
    case sendMessages([UInt8])
    /// Look for the newest text of the document with this name in memory. Then pass it to `found`, before any
    /// other event.
    case findText(DocumentName, Read)
    /// Compute a response, away from the loop. Then pass it to `computed` with this number.
    case compute(Computation, number: Int)
    /// Count a request that was refused because of its host or its origin, and log its origin.
    case noteRefusal(WebCode, Origin?)
    /// Log that a proxy has signed in nobody.
    case noteSignIn(ProxySignInFault)
    /// Log that a client that is no proxy has sent the field of the proxies, which is dropped.
    case noteDroppedSignIn
}

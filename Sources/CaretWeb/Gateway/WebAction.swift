package import CaretRooms

/// An action that a web connection returns for its shell.
package enum WebAction: Equatable, Sendable {
    /// An action of any connection. The bytes of `send` are written as they are.
    case connection(ConnectionAction)
    /// Send each of these lines as a message of the WebSocket. Answered by `written`, with the bytes of the frames.
    case sendMessages([UInt8])
}

/// The limits of frames. The size of a message has the limit of a line.
package enum WebSocketLimits {
    /// Bytes of content in a ping, a pong or a close frame, by RFC 6455.
    package static let controlContent = 125
    package static let framesOfMessage = 1_024
}

/// The limits of frames. A message may have at most as many bytes as a line.
package enum WebSocketLimits {
    /// The most bytes of content in a ping, a pong or a close frame, by RFC 6455.
    package static let controlContent = 125
    package static let framesOfMessage = 1_024
}

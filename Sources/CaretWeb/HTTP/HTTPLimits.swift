/// The limits of a request. Its body has limits of its own, which depend on what is requested.
package enum HTTPLimits {
    /// Bytes of a head: the request line and the fields, with all line ends.
    package static let head = 16 << 10
    /// Bytes of the request line, without its line end.
    package static let requestLine = 8 << 10
    package static let fields = 64
    /// Parameters of a query. Each is compared with all others.
    package static let parameters = 32
    /// Digits of `Content-Length`, and of the size of a chunk.
    package static let digits = 15
    /// Bytes of the extensions of a chunk, which are ignored.
    package static let chunkExtensions = 256
    /// Bytes of the trailer after the last chunk, which is ignored, with all line ends.
    package static let trailer = 4 << 10
    /// Seconds within which a head must be complete, from its first byte.
    package static let headSeconds = 10
    /// Seconds for which a connection without a request stays open.
    package static let idleSeconds = 60
}

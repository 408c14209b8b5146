/// The limits of a request, except those of its body: the body's limits depend on what is requested.
package enum HTTPLimits {
    /// The most bytes of a head: the request line and the fields, with all line ends.
    package static let head = 16 << 10
    /// The most bytes of the request line, without its line end.
    package static let requestLine = 8 << 10
    package static let fields = 64
    /// The most parameters of a query. There must be few, because each parameter is compared with all others.
    package static let parameters = 32
    /// The most digits of `Content-Length`, and of the size of a chunk.
    package static let digits = 15
    /// The most bytes of the extensions of a chunk. The extensions are ignored.
    package static let chunkExtensions = 256
    /// The most bytes of the trailer after the last chunk, with all line ends. The trailer is ignored.
    package static let trailer = 4 << 10
    /// Seconds within which a head must be complete, from its first byte.
    package static let headSeconds = 10
    /// Seconds for which a connection without a request stays open.
    package static let idleSeconds = 60
}

public import CaretCore
package import CaretWire

/// The server refused a request.
public struct ServerRefusal: Error, Equatable, Sendable {
    /// The error code, as listed in `docs/errors.md`. Nil if this version of the client does not know the
    /// code.
    package let code: ErrorCode?
    /// The error code as a word, for example `not_found`.
    public let word: String
    /// The server's explanation, for people to read.
    public let message: String
    /// The newest revision of the document, if the server could not use the base of a push.
    public let head: Head?
    /// How long to wait before the next attempt, if the server named such a delay.
    public let retryAfter: Duration?

    /// The newest revision of a document, and the epoch that the revision belongs to.
    public struct Head: Equatable, Sendable {
        public let epoch: String
        public let revision: Revision
    }

    package init(_ error: ErrorReport) {
        switch error.code {
        case .known(let code): (self.code, word) = (code, code.word)
        case .unknown(let word): (code, self.word) = (nil, word.string)
        }
        message = error.message.string
        head = error.head.map { Head(epoch: $0.epoch.string, revision: $0.revision) }
        retryAfter = error.retryAfterMilliseconds.map { .milliseconds($0) }
    }
}

extension ServerRefusal: CustomStringConvertible {
    public var description: String { "\(message) (\(word))" }
}

public import CaretCore
package import CaretWire

/// The server would not do what it was asked for.
public struct ServerRefusal: Error, Equatable, Sendable {
    /// As `docs/errors.md` names it; nil for one that is not known here.
    package let code: ErrorCode?
    /// The word of the code, as in `not_found`.
    public let word: String
    /// What is wrong, for a person.
    public let message: String
    /// Where the document is, where a base could not be used.
    public let head: Head?
    /// When it may be worth to ask again.
    public let retryAfter: Duration?

    /// The newest revision of a document, and the history it counts in.
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

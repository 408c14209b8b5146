package import CaretCore

/// A push that was sent, and whose outcome is not in the committed text yet.
package struct InFlight: Equatable, Sendable {
    package enum Outcome: Equatable, Sendable {
        /// The server has not answered yet, and will answer on this connection.
        case awaited
        /// The outcome is not known, and no answer will come. The push must be resent.
        case unknown
        /// The server has answered: this revision contains the outcome. The replica has not received this
        /// revision yet.
        case resolved(at: Revision)
        /// The server has answered: the push was not committed, and the user must decide what to do.
        case refused
    }

    /// The push as it was first sent. This value never changes, so that the server recognises a resent push.
    package let push: SentPush
    package var outcome = Outcome.awaited
    /// The push was sent more than once, so an earlier copy may have been committed.
    package var wasResent = false

    package init(_ push: SentPush) { self.push = push }

    /// Notes that no answer to the push will arrive on this connection any more.
    mutating func loseAnswer() {
        switch outcome {
        case .awaited, .resolved: outcome = .unknown
        case .unknown, .refused: break
        }
    }
}

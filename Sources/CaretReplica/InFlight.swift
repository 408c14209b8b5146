package import CaretCore

/// A push that was sent and whose outcome has not been taken in.
package struct InFlight: Equatable, Sendable {
    package enum Outcome: Equatable, Sendable {
        /// An answer will come on this connection.
        case awaited
        /// Unknown, and no answer is on its way: it is to be sent again.
        case unknown
        /// Answered: what came of it is in the text from this revision on, to which the stream has yet to come.
        case settled(at: Revision)
        /// Answered: not committed, and only its owner can help.
        case refused
    }

    /// As it was sent first. It never changes, so that the server knows it again.
    package let push: SentPush
    package var outcome = Outcome.awaited
    /// It was sent more than once, so that an earlier one may have been committed.
    package var isRepeated = false

    package init(_ push: SentPush) { self.push = push }

    /// No answer comes any more on this connection.
    mutating func loseAnswer() {
        switch outcome {
        case .awaited, .settled: outcome = .unknown
        case .unknown, .refused: break
        }
    }
}

package import CaretReplica
package import CaretWire

/// The tokens of a client that gets them from a function of its app. Decides when to ask the app for the next token.
package struct TokenFetching: Equatable, Sendable {
    /// The app is asked at most once in this time, even if its tokens end at once.
    package static let pause: Milliseconds = 10_000
    /// An answer that takes longer counts as a failure.
    package static let longestAnswer: Milliseconds = 30_000

    /// The newest token. Nil before the first one, and after the token has ended.
    private(set) var token: WireString?
    private var askedAt: Moment?
    /// Whether the app has not answered yet.
    private(set) var isAsking = false
    /// The number of the newest question. The answer to an older one comes too late.
    private(set) var question = 0
    /// The token of the last `hello` or `authenticate`.
    private var shown: WireString?
    /// The token that the server has accepted last.
    private var accepted: WireString?
    /// When the app is asked for the token that replaces the one of the connection.
    private(set) var refreshAt: Moment?
    /// The `authenticate` request that is not answered yet.
    private(set) var authenticating: RequestID?

    package init() {}

    /// The earliest time for the next question.
    func mayAsk(at now: Moment) -> Moment { askedAt.map { max($0 + TokenFetching.pause, now) } ?? now }

    mutating func asked(at now: Moment) {
        (askedAt, isAsking, refreshAt) = (now, true, nil)
        question += 1
    }

    /// When a question without an answer counts as failed.
    var answerDue: Moment? { isAsking ? askedAt.map { $0 + TokenFetching.longestAnswer } : nil }

    mutating func answered(_ token: WireString?) {
        isAsking = false
        if let token { self.token = token }
    }

    /// The token that the client has shown is no longer valid. The app may have given a newer one since.
    mutating func ended() {
        if token == shown { token = nil }
        accepted = nil
    }

    /// Whether the server has accepted the token that the client has shown. If it refuses this token now, the key was
    /// probably removed since, so another token may be accepted.
    var hasShownAccepted: Bool { shown != nil && shown == accepted }

    /// The server accepts the token for this long. Jitter spreads the questions of many clients.
    mutating func accepted(for milliseconds: Int?, at now: Moment, _ jitter: Jitter) {
        (authenticating, accepted) = (nil, shown)
        refreshAt = milliseconds.map {
            max(now + Milliseconds(Int(Double($0) * (0.7 + 0.15 * jitter.value))), mayAsk(at: now))
        }
    }

    /// The client shows the newest token: in `hello`, or with this request on an open connection.
    mutating func show(_ id: RequestID? = nil) { (shown, authenticating) = (token, id) }

    /// The app or the server has failed, so the client asks again later. The token of the connection still counts.
    mutating func failed(at now: Moment, retryAfter: Milliseconds? = nil) {
        (isAsking, authenticating) = (false, nil)
        refreshAt = now + max(TokenFetching.pause, retryAfter ?? 0)
    }

    mutating func disconnected() { (refreshAt, authenticating) = (nil, nil) }
}

/// What a function of the app has answered.
package enum FetchedToken: Equatable, Sendable {
    /// Nil if the user has signed out.
    case token(WireString?)
    /// Why there is no answer now, in words.
    case failure(String)
}

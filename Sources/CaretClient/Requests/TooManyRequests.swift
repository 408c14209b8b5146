/// A request was not sent: the client already has as many requests without an answer as it may have.
public struct TooManyRequests: Error, Equatable, Sendable {
    /// How many requests may wait for an answer at once.
    public let limit: Int

    package init(limit: Int) {
        self.limit = limit
    }
}

extension TooManyRequests: CustomStringConvertible {
    public var description: String {
        "\(limit) requests have no answer yet, and at most \(limit) may wait at once: wait for answers first"
    }
}

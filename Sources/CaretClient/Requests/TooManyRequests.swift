/// A request was not sent, because too many requests of the client are unanswered.
public struct TooManyRequests: Error, Equatable, Sendable {
    /// How many requests may be unanswered at once.
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

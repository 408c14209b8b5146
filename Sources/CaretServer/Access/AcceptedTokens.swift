package import CaretLog

/// The tokens that this server has accepted in the last day, by their digests. Guesses from the same address do
/// not delay them.
///
/// Only valid tokens enter, so nobody can fill the table by guessing. Times are in milliseconds of a clock that
/// never goes back.
package struct AcceptedTokens: Sendable {
    package static let remembered: Int64 = 24 * 3_600 * 1_000
    /// A full table takes a few megabytes. The tokens that do not fit are limited like unknown ones.
    package static let most = 65_536

    private var acceptedAt: [Digest: Int64] = [:]

    package init() {}

    package func contains(_ token: Digest, at now: Int64) -> Bool {
        acceptedAt[token].map { now - $0 < AcceptedTokens.remembered } ?? false
    }

    package mutating func add(_ token: Digest, at now: Int64) {
        if acceptedAt[token] == nil, acceptedAt.count >= AcceptedTokens.most {
            acceptedAt = acceptedAt.filter { now - $0.value < AcceptedTokens.remembered }
            if acceptedAt.count >= AcceptedTokens.most { return }
        }
        acceptedAt[token] = now
    }

    package mutating func remove(_ token: Digest) { acceptedAt[token] = nil }
}

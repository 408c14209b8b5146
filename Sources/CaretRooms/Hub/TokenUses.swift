package import CaretLog

/// The times when tokens were last used, kept until the store has recorded them.
///
/// The store records all uses in rounds, one an hour. So a token causes at most one write an hour, and no
/// client waits for it. A crash loses the uses of the last hour.
package struct TokenUses: Equatable, Sendable {
    /// Milliseconds between two rounds.
    package static let interval: Int64 = 3_600_000
    /// The most uses that the store records in one call, so that pushes do not wait long for this call.
    package static let mostPerCall = 1_000

    /// The uses that the store has not recorded, or has not confirmed yet.
    private var unrecorded: [TokenID: Int64] = [:]
    /// The tokens that the current round has not sent to the store yet.
    private var remaining: ArraySlice<TokenID> = []
    /// When the next round begins; nil while there is nothing to record.
    package private(set) var due: Int64?

    package init() {}

    package mutating func note(_ token: TokenID, at now: Int64) {
        if token == .unneeded { return }
        unrecorded[token] = now
        due = due ?? now + TokenUses.interval
    }

    /// The time of the last use that is not recorded yet.
    package func time(of token: TokenID) -> Int64? { unrecorded[token] }

    package mutating func beginRound(at now: Int64) {
        remaining = unrecorded.keys.sorted()[...]
        due = remaining.isEmpty ? nil : now + TokenUses.interval
    }

    /// The next uses of the round, for one call; nil if the round is complete.
    package mutating func nextUses() -> [TokenUse]? {
        if remaining.isEmpty { return nil }
        defer { remaining = remaining.dropFirst(TokenUses.mostPerCall) }
        return remaining.prefix(TokenUses.mostPerCall).compactMap { token in
            unrecorded[token].map { TokenUse(token, at: $0) }
        }
    }

    package mutating func recorded(_ uses: [TokenUse]) {
        // A token that was used again meanwhile stays for the next round.
        for use in uses where unrecorded[use.token] == use.time { unrecorded[use.token] = nil }
    }

    /// The store has refused a call. The next round tries again.
    package mutating func cancelRound() { remaining = [] }
}

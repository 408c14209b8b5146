package import CaretWire

/// What a server asks of signed tokens, besides a valid signature.
package struct TokenRules: Equatable, Sendable {
    /// The longest token, in bytes. The line of `hello` has space for it and for the other fields.
    package static let longestToken = 4_096
    /// The difference of two clocks that does no harm, in milliseconds.
    package static let leeway: Int64 = 60_000
    /// The most grants of a token. A prefix stands for a group of documents.
    package static let mostGrants = 100
    /// The longest `jti`, in bytes.
    package static let longestID = Limits.tokenID
    /// The longest `name`, in scalars. With every scalar escaped, it fits in `info`.
    package static let longestName = 100
    /// The latest time that a claim may name, in seconds: the end of the year 9999.
    package static let latestTime: Int64 = 253_402_300_799

    /// The audience that each token names.
    package let audience: WireString
    /// The longest time from `iat` to `exp`, in seconds.
    package let maxLifeSeconds: Int64

    package init(audience: WireString, maxLifeSeconds: Int64) {
        self.audience = audience
        self.maxLifeSeconds = maxLifeSeconds
    }

    /// Whether a server checks a token as a signed one. Each header begins with `{"`, in base64. A server looks for all
    /// other tokens in its store.
    package static func isSigned(_ token: some Collection<UInt8>) -> Bool { token.starts(with: "ey".utf8) }

    /// Checks a token. The signature is checked before the claims are read. `now` is the time of the wall clock in
    /// milliseconds.
    ///
    /// The fault `ended` means that the time is the only thing wrong.
    package func check(
        _ token: [UInt8], with keys: TokenKeys, at now: Int64
    ) throws(SignedTokenFault) -> SignedToken {
        let parts = try TokenParts(token)
        let header = try TokenHeader(parts.header)
        let key = try keys.key(for: header)
        try key.check(parts.signature, of: parts.signed)
        return try SignedToken(TokenClaims(parts.claims), by: self, key: key.mark, at: now)
    }
}

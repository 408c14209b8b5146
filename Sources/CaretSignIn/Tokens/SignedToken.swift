package import CaretLog
package import CaretWire

/// A token that a backend has signed, after all checks. Times are in milliseconds since 1970.
package struct SignedToken: Equatable, Sendable {
    package let user: UserName
    package let issued: Int64
    /// The time in the claim `exp`. The token is valid until `end`.
    package let expires: Int64
    /// The claim `jti`.
    package let id: ByteString?
    package let name: WireString?
    package let color: WireString?
    package let grants: Grants
    /// The key of its signature.
    package let key: KeyMark

    /// From this time on, the token has ended, also for a clock that is slow.
    package var end: Int64 { expires + TokenRules.leeway }

    /// Checks the claims. The end is checked last, so that `ended` means that nothing else is wrong.
    init(
        _ claims: TokenClaims, by rules: TokenRules, key: KeyMark, at now: Int64
    ) throws(SignedTokenFault) {
        guard claims.audiences.contains(rules.audience) else {
            throw .otherAudience(expected: rules.audience)
        }
        let life = claims.expires - claims.issued
        guard life > 0 else { throw .noLife }
        guard life <= rules.maxLifeSeconds else {
            throw .longLife(seconds: life, limit: rules.maxLifeSeconds)
        }
        let latest = now + TokenRules.leeway
        guard claims.issued * 1_000 <= latest else {
            throw .issuedAhead(milliseconds: claims.issued * 1_000 - now)
        }
        if let start = claims.notBefore, start * 1_000 > latest {
            throw .notYetValid(milliseconds: start * 1_000 - now)
        }
        user = claims.user
        issued = claims.issued * 1_000
        expires = claims.expires * 1_000
        id = claims.id
        name = claims.name
        color = claims.color
        grants = claims.grants
        self.key = key
        guard now < end else { throw .ended(at: expires) }
    }
}

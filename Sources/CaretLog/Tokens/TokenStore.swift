/// The tokens of all users, stored as durably as documents.
///
/// Methods complete and fail like the methods of `DocumentStore`. `gone` means that the token does not exist.
/// The store keeps only a digest of a token's text. The text cannot be recovered from the digest.
package protocol TokenStore: Sendable {
    /// Creates a token. Only the answer to this call contains the token's text. The store does not compare
    /// `expires` with any clock: its callers decide whether a token has ended.
    func addToken(
        of user: UserName, _ grants: Grants, expires: Int64?, at time: Int64,
        then completion: @escaping @Sendable (Result<TokenText, StoreRefusal>) -> Void)

    /// Finds the token with this text, even if it has ended. The time of a refusal does not show whether the
    /// token's number exists, or how much of the text was right.
    func token(
        shown text: ByteString, then completion: @escaping @Sendable (Result<Token, StoreRefusal>) -> Void)

    /// The tokens after `after`, in the order of creation: at most `limit` tokens, and at most `weight` bytes
    /// of them. But if there are any tokens, at least one is returned.
    func tokens(
        after: TokenID?, limit: Int, weighing weight: Int,
        then completion: @escaping @Sendable (Result<TokenListing, StoreRefusal>) -> Void)

    /// Revokes a token, even a damaged one.
    func revokeToken(
        _ token: TokenID, then completion: @escaping @Sendable (Result<Void, StoreRefusal>) -> Void)

    /// Those of the tokens that were not revoked. Tokens that have ended are among them.
    func live(
        _ tokens: [TokenID], then completion: @escaping @Sendable (Result<[TokenID], StoreRefusal>) -> Void)

    /// Records when tokens were last used. A time before the recorded one changes nothing, and neither does a
    /// token that does not exist.
    func noteUses(
        _ uses: [TokenUse], then completion: @escaping @Sendable (Result<Void, StoreRefusal>) -> Void)

    /// Records that tokens with an end have ended. A token that does not exist changes nothing.
    func noteEnds(
        of tokens: [TokenID], then completion: @escaping @Sendable (Result<Void, StoreRefusal>) -> Void)
}

/// A page of tokens.
package struct TokenListing: Equatable, Sendable {
    package enum Item: Equatable, Sendable {
        /// `lastUse` is nil if no use was recorded.
        case sound(Token, lastUse: Int64?)
        /// The token's row is damaged, so the token cannot be used.
        case damaged(TokenID)
    }

    package let items: [Item]
    /// More tokens follow the last one of this page.
    package let hasMore: Bool

    package init(items: [Item], hasMore: Bool) {
        self.items = items
        self.hasMore = hasMore
    }
}

extension TokenListing.Item {
    package var id: TokenID {
        switch self {
        case .sound(let token, _): token.id
        case .damaged(let id): id
        }
    }

    package var weight: Int {
        switch self {
        case .sound(let token, _): token.weight
        case .damaged: 16
        }
    }
}

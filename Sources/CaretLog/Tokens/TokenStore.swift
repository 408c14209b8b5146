/// The tokens by which users are known, as durable as documents.
///
/// Calls end as those of a `DocumentStore` do, and refuse as they do; `gone` is a token that there is none of. What is kept
/// of a text tells it from others, and does not give it back.
package protocol TokenStore: Sendable {
    /// Makes a token. Only this answer ever has its text.
    func addToken(
        of user: UserName, _ grants: Grants, at time: Int64,
        then completion: @escaping @Sendable (Result<TokenText, StoreRefusal>) -> Void)

    /// The token whose text somebody shows. How long a refusal takes says neither whether there is a token of that number
    /// nor how much of the text was right.
    func token(
        shown text: ByteString, then completion: @escaping @Sendable (Result<Token, StoreRefusal>) -> Void)

    /// The tokens after `after`, in the order of their making: at most `limit`, and as many as weigh no more than `weight`
    /// but at least one where there is one.
    func tokens(
        after: TokenID?, limit: Int, weighing weight: Int,
        then completion: @escaping @Sendable (Result<TokenListing, StoreRefusal>) -> Void)

    /// Makes a token good for nothing, a damaged one too.
    func revokeToken(
        _ token: TokenID, then completion: @escaping @Sendable (Result<Void, StoreRefusal>) -> Void)
}

/// A page of tokens.
package struct TokenListing: Equatable, Sendable {
    package enum Item: Equatable, Sendable {
        case sound(Token)
        /// What is kept of it is not what was written, so nobody is let in by it.
        case damaged(TokenID)
    }

    package let items: [Item]
    /// There are more behind the last one.
    package let hasMore: Bool

    package init(items: [Item], hasMore: Bool) {
        self.items = items
        self.hasMore = hasMore
    }
}

extension TokenListing.Item {
    package var id: TokenID {
        switch self {
        case .sound(let token): token.id
        case .damaged(let id): id
        }
    }

    package var weight: Int {
        switch self {
        case .sound(let token): token.weight
        case .damaged: 16
        }
    }
}

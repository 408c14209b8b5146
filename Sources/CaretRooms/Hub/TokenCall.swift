package import CaretLog

/// The hub's calls to the store about tokens. Each call is a method of the store.
package enum TokenCall: Equatable, Sendable {
    case add(UserName, Grants, expires: Int64?, at: Int64)
    case list(after: TokenID?, limit: Int, weight: Int)
    case revoke(TokenID)
    case noteUses([TokenUse])
    case noteEnds([TokenID])
    case live([TokenID])
}

/// The store's answer to the call of the same name.
package enum TokenAnswer: Equatable, Sendable {
    case added(Result<TokenText, StoreRefusal>)
    case listed(Result<TokenListing, StoreRefusal>)
    /// The refusal is nil if the token was revoked.
    case revoked(StoreRefusal?)
    case live(Result<[TokenID], StoreRefusal>)
    /// The refusal is nil if the uses or ends were recorded.
    case noted(StoreRefusal?)
}

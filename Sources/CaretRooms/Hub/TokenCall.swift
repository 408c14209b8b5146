package import CaretLog

/// What the hub asks of the store of tokens; each is a method of it.
package enum TokenCall: Equatable, Sendable {
    case add(UserName, Grants, at: Int64)
    case list(after: TokenID?, limit: Int, weight: Int)
    case revoke(TokenID)
}

/// What the store answers to a call of the same name.
package enum TokenAnswer: Equatable, Sendable {
    case added(Result<TokenText, StoreRefusal>)
    case listed(Result<TokenListing, StoreRefusal>)
    /// Nil where it was revoked.
    case revoked(StoreRefusal?)
}

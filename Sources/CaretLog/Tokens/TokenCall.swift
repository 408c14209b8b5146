/// A call to a store about the tokens of users, which are stored as durably as documents. `gone` means that the token does not
/// exist. The store keeps only a digest of a token's text. The text cannot be recovered from the digest.
package enum TokenCall: Equatable, Sendable {
    /// Creates a token. Only the answer to this call contains the token's text. The store does not compare `expires` with any
    /// clock: its callers decide whether a token has ended.
    case add(UserName, Grants, expires: Int64?, at: Int64)
    /// Creates a token with a grant on one document. `UserName.ofLink` makes the name of its user. `gone` means that the
    /// document no longer has this name.
    case addLink(to: DocumentID, named: DocumentName, Access, expires: Int64, at: Int64)
    /// Finds the token with this text, even if it has ended. The time of a refusal does not show whether the token's number
    /// exists, or how much of the text was right.
    case find(shown: ByteString)
    /// The tokens after `after`, in the order of creation: at most `limit` tokens, and at most `weight` bytes of them. But if
    /// there are any tokens, at least one is returned. With a document, only the links to it.
    case list(linksTo: DocumentID? = nil, after: TokenID?, limit: Int, weight: Int)
    /// Revokes a token, even a damaged one. With a document, only if the token is a link to it.
    case revoke(TokenID, linkTo: DocumentID? = nil)
    /// Those of the tokens that were not revoked. Tokens that have ended are among them.
    case live([TokenID])
    /// Records when tokens were last used. A time before the recorded one changes nothing, and neither does a token that does
    /// not exist.
    case noteUses([TokenUse])
    /// Records that tokens with an end have ended. A token that does not exist changes nothing.
    case noteEnds([TokenID])
    /// Records a sign-out, and may remove sign-outs with a `before` earlier than this time.
    case signOut(SignOut, forgettingBefore: Int64)
    /// The sign-outs that were recorded after the one with this number, or all, if it is 0. Every server sees them in the
    /// same order.
    case signOuts(after: Int64, limit: Int)
}

/// The answer to the call of the same name.
package enum TokenAnswer: Equatable, Sendable {
    case added(Result<TokenText, StoreRefusal>)
    case found(Result<Token, StoreRefusal>)
    case listed(Result<TokenListing, StoreRefusal>)
    /// The refusal is nil if the token was revoked.
    case revoked(StoreRefusal?)
    case live(Result<[TokenID], StoreRefusal>)
    /// The refusal is nil if the uses, ends or sign-out were recorded.
    case noted(StoreRefusal?)
    case signOuts(Result<SignOutPage, StoreRefusal>)
}

extension TokenCall {
    package var writes: Bool {
        switch self {
        case .add, .addLink, .revoke, .noteUses, .noteEnds, .signOut: true
        case .find, .list, .live, .signOuts: false
        }
    }

    /// The answer if the call is refused.
    func refused(_ refusal: StoreRefusal) -> TokenAnswer {
        switch self {
        case .add, .addLink: .added(.failure(refusal))
        case .find: .found(.failure(refusal))
        case .list: .listed(.failure(refusal))
        case .revoke: .revoked(refusal)
        case .live: .live(.failure(refusal))
        case .noteUses, .noteEnds, .signOut: .noted(refusal)
        case .signOuts: .signOuts(.failure(refusal))
        }
    }
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

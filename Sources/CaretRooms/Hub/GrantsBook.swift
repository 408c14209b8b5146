import CaretLog

/// What the hub was told that tokens are good for by now.
///
/// Whoever joins was looked up some time before, when the hub did not know of it and could tell it of no change. How long
/// ago that was is not bounded, so nothing is forgotten: it is no more than there are tokens that changed.
struct GrantsBook: Equatable, Sendable {
    private enum Worth: Equatable, Sendable {
        case nothing
        case grants(Grants)
    }

    private var changed: [TokenID: Worth] = [:]

    /// A token is good for this from now on; nil is nothing.
    mutating func note(_ grants: Grants?, of token: TokenID) {
        changed[token] = grants.map { .grants($0) } ?? .nothing
    }

    /// What a token is good for by now that was found good for these; nil where that is nothing.
    func grants(of token: TokenID, found: Grants) -> Grants? {
        switch changed[token] {
        case .nothing: nil
        case .grants(let grants): grants
        case nil: found
        }
    }
}

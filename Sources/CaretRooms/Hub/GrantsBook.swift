import CaretLog

/// What the hub knows of changed grants.
///
/// A token is looked up some time before its client joins, when the hub does not know of the client and
/// cannot inform it of changes. That time is not bounded, so nothing is forgotten here. There are at most as
/// many entries as changed tokens.
struct GrantsBook: Equatable, Sendable {
    private enum Worth: Equatable, Sendable {
        case nothing
        case grants(Grants)
    }

    private var changed: [TokenID: Worth] = [:]

    /// A token has these grants from now on; nil if it was revoked.
    mutating func note(_ grants: Grants?, of token: TokenID) {
        changed[token] = grants.map { .grants($0) } ?? .nothing
    }

    /// The current grants of a token that had these when it was looked up; nil if it was revoked.
    func grants(of token: TokenID, found: Grants) -> Grants? {
        switch changed[token] {
        case .nothing: nil
        case .grants(let grants): grants
        case nil: found
        }
    }
}

import CaretLog

/// The grants of tokens that were changed while the server runs.
///
/// A token is looked up before its client joins. Between these moments, the hub does not know the client and
/// cannot inform it of changed grants. That time has no limit, so no entry is ever removed. There are at most
/// as many entries as changed tokens.
struct ChangedGrants: Equatable, Sendable {
    private enum GrantOverride: Equatable, Sendable {
        case nothing
        case grants(Grants)
    }

    private var changed: [TokenID: GrantOverride] = [:]

    /// Records the new grants of a token. `grants` is nil if the token was revoked.
    mutating func note(_ grants: Grants?, of token: TokenID) {
        changed[token] = grants.map { .grants($0) } ?? .nothing
    }

    /// The current grants of a token, or nil if it was revoked. `found` are the grants that the lookup of the
    /// token returned.
    func grants(of token: TokenID, found: Grants) -> Grants? {
        switch changed[token] {
        case .nothing: nil
        case .grants(let grants): grants
        case nil: found
        }
    }
}

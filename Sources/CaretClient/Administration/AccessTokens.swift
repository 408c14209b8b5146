import CaretWire

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// A permission of a token. It applies to one document, or to all documents whose names begin with a prefix.
public struct AccessGrant: Hashable, Sendable {
    /// Each right includes the rights before it.
    public enum Right: Hashable, Sendable {
        case read
        /// To write notes, and to suggest changes.
        case note
        case write, administer
    }

    public enum Scope: Hashable, Sendable {
        case document(String)
        /// The empty prefix stands for all documents.
        case prefix(String)
    }

    public let right: Right
    public let scope: Scope

    public init(_ right: Right, _ scope: Scope) {
        self.right = right
        self.scope = scope
    }

    public static func read(_ name: String) -> AccessGrant { AccessGrant(.read, .document(name)) }
    public static func write(_ name: String) -> AccessGrant { AccessGrant(.write, .document(name)) }
}

/// A new token. Only this value has its text: the server stores a digest.
public struct AccessToken: Equatable, Sendable {
    /// Names the token when it is revoked.
    public let number: Int
    /// What the user's client sends, as the `token` of its `ClientOptions`.
    public let text: String
}

/// What the server knows about a token.
public struct AccessTokenInfo: Equatable, Sendable {
    public let number: Int
    /// Nil if the row of the token is damaged. The token can then only be revoked.
    public let user: String?
    public let grants: [AccessGrant]
    /// When the token ends. Nil if it has no end.
    public let end: Date?
    /// Nil if the token was never used.
    public let lastUse: Date?
}

// Tokens for the users of an app. The requests need administration rights for all documents, so make them in
// the app's own server, and never in a program that users have.
extension LiveClient {
    /// Makes a token for a user. Without an end, the token is valid until it is revoked.
    ///
    /// If the connection ends before the answer, the request throws `ConnectionFault.lost`. The server may
    /// have made the token all the same: look for it in `tokens`, and revoke it.
    public func makeToken(
        for user: String, _ grants: [AccessGrant], until end: Date? = nil
    ) async throws -> AccessToken {
        let request = AddToken(
            user: WireString(user), grants: grants.map { WireGrant($0) }, expires: end?.milliseconds)
        guard case .tokenAdded(let added) = try await administer(.addToken(request)) else {
            throw unexpectedAnswer
        }
        return AccessToken(number: added.number, text: added.token.string)
    }

    /// Revokes a token. Its clients are disconnected at once.
    public func revokeToken(_ number: Int) async throws {
        guard case .done = try await request(.admin(.revokeToken(RevokeToken(number: number)))) else {
            throw unexpectedAnswer
        }
    }

    /// Lists the tokens, sorted by number. A page has at most 1,000 tokens.
    public func tokens(
        after number: Int? = nil, limit: Int = 100
    ) async throws -> (tokens: [AccessTokenInfo], hasMore: Bool) {
        let request = ListTokens(after: number, limit: limit)
        guard case .tokens(let answer) = try await administer(.listTokens(request)) else {
            throw unexpectedAnswer
        }
        return (answer.tokens.map { AccessTokenInfo($0) }, answer.hasMore)
    }
}

extension AccessTokenInfo {
    init(_ summary: TokenSummary) {
        number = summary.number
        switch summary.state {
        case .sound(let details):
            user = details.user.string
            grants = details.grants.map { AccessGrant($0) }
            end = details.expires.map { Date(milliseconds: $0) }
            lastUse = details.lastUse.map { Date(milliseconds: $0) }
        case .damaged: (user, grants, end, lastUse) = (nil, [], nil, nil)
        }
    }
}

extension AccessGrant {
    fileprivate init(_ grant: WireGrant) {
        switch grant.rights {
        case .read: right = .read
        case .note: right = .note
        case .write: right = .write
        case .admin: right = .administer
        }
        switch grant.scope {
        case .document(let name): scope = .document(name.string)
        case .prefix(let prefix): scope = .prefix(prefix.string)
        }
    }
}

extension WireGrant {
    fileprivate init(_ grant: AccessGrant) {
        let rights: GrantedRights =
            switch grant.right {
            case .read: .read
            case .note: .note
            case .write: .write
            case .administer: .admin
            }
        let scope: Scope =
            switch grant.scope {
            case .document(let name): .document(WireString(name))
            case .prefix(let prefix): .prefix(WireString(prefix))
            }
        self.init(rights, to: scope)
    }
}

package import CaretWire

/// Settings that contradict each other, although each value alone is allowed.
package enum Contradiction: Equatable, Sendable, CustomStringConvertible {
    /// Other machines would have full access, and the operator has not permitted it.
    case openToAnyone(ListenAddress)
    case openThroughProxy(Authority)
    /// Pages of every local site may use the server, but other machines can reach it, as this address or name.
    case localSitesElsewhere(String)
    /// Tokens are required, but another setting admits clients without a token.
    case tokensAndAnyone
    /// There are keys of signed tokens, but no client needs a token.
    case keysWithoutTokens
    /// Guests may read something, but every client has full access.
    case guestsWithoutTokens
    /// The page gets tokens, but no client needs a token.
    case pageTokensWithoutTokens
    case linksWithoutTokens
    /// Without an audience, the server would accept tokens for other servers.
    case keysWithoutAudience
    /// A proxy signs in users, but every client has full access.
    case proxiesWithoutTokens
    /// `sign_in_header` is set, but no proxy is trusted.
    case headerWithoutProxies
    /// No client could connect to the server.
    case noListener
    case sameAddress(ListenAddress)
    case socketPathTooLong(bytes: Int)
    /// Only one of the certificate and its key is set.
    case certificateWithoutKey
    case keyWithoutCertificate
    case tlsWithoutCertificate(TLSUse)
    case lineBelowDocument(line: Int, least: Int)
    case budgetBelowLine(budget: Int, least: Int)
    case roomBelowSession(room: Int, session: Int)

    /// The longest path that the system allows for a Unix socket, in bytes.
    static let longestSocketPath = 107

    package static func all(in settings: Settings) -> [Contradiction] {
        ofAccess(settings) + ofTLS(settings) + ofLimits(settings.limits)
    }

    private static func ofTLS(_ settings: Settings) -> [Contradiction] {
        switch (settings.hasCertificate, !settings.tlsKey.isEmpty) {
        case (true, true): []
        case (true, false): [.certificateWithoutKey]
        case (false, true): [.keyWithoutCertificate]
        case (false, false): settings.tls == .auto ? [] : [.tlsWithoutCertificate(settings.tls)]
        }
    }

    private static func ofAccess(_ settings: Settings) -> [Contradiction] {
        var found: [Contradiction] = []
        let remote = settings.listen.first { !$0.isLoopback }
        if settings.servesWeb, settings.webOrigins.contains(.local),
            let reached = remote?.description
                ?? settings.webHosts.first(where: { !$0.isLoopback })?.description
        {
            found.append(.localSitesElsewhere(reached))
        }
        switch (settings.requiresTokens, settings.allowsAnyoneFromAnywhere) {
        case (true, true): found.append(.tokensAndAnyone)
        case (false, false):
            if let remote { found.append(.openToAnyone(remote)) }
            if settings.servesWeb, let host = settings.webHosts.first {
                found.append(.openThroughProxy(host))
            }
        case (true, false), (false, true): break
        }
        if !settings.guestRead.isEmpty, !settings.requiresTokens { found.append(.guestsWithoutTokens) }
        if !settings.pageTokenPath.isEmpty, !settings.requiresTokens {
            found.append(.pageTokensWithoutTokens)
        }
        if settings.limits.allowsLinks, !settings.requiresTokens { found.append(.linksWithoutTokens) }
        if !settings.tokenKeys.isEmpty {
            if !settings.requiresTokens { found.append(.keysWithoutTokens) }
            if settings.tokenAudience.isEmpty { found.append(.keysWithoutAudience) }
        }
        if !settings.signInHeader.isEmpty {
            if !settings.requiresTokens { found.append(.proxiesWithoutTokens) }
            if settings.signInProxies.isEmpty { found.append(.headerWithoutProxies) }
        }
        if settings.listen.isEmpty, !settings.hasAdminSocket { found.append(.noListener) }
        let fixed = settings.listen.filter { $0.port != 0 }
        if let index = fixed.indices.first(where: { fixed[..<$0].contains(fixed[$0]) }) {
            found.append(.sameAddress(fixed[index]))
        }
        let path = settings.adminSocketPath.utf8.count
        if settings.hasAdminSocket, path > longestSocketPath { found.append(.socketPathTooLong(bytes: path)) }
        return found
    }

    private static func ofLimits(_ limits: Limits) -> [Contradiction] {
        var found: [Contradiction] = []
        // A client must be able to send back any text that the server sends. So `limit_line` must be at least
        // the length of a line with the longest text, with every byte escaped.
        let line = limits.announced.serverLine
        if limits.announced.line < line {
            found.append(.lineBelowDocument(line: limits.announced.line, least: line))
        }
        // A line reserves memory from the budget in steps of `freeLine` bytes.
        let budget = limits.announced.line / limits.freeLine * limits.freeLine
        if limits.lineBudget < budget {
            found.append(.budgetBelowLine(budget: limits.lineBudget, least: budget))
        }
        if limits.roomSelections < limits.announced.selections {
            found.append(
                .roomBelowSession(room: limits.roomSelections, session: limits.announced.selections))
        }
        return found
    }

    /// The key that the message blames. The message begins with the origin of this key's value, such as a
    /// position in the file.
    var key: String {
        switch self {
        case .openToAnyone, .noListener, .sameAddress: "listen"
        case .openThroughProxy: "web_hosts"
        case .localSitesElsewhere: "web_origins"
        case .keysWithoutTokens: "token_keys"
        case .guestsWithoutTokens: "guest_read"
        case .pageTokensWithoutTokens: "page_token_path"
        case .linksWithoutTokens: "share_links"
        case .keysWithoutAudience: "token_audience"
        case .proxiesWithoutTokens: "sign_in_header"
        case .headerWithoutProxies: "sign_in_proxies"
        case .tokensAndAnyone: "allow_anyone_from_anywhere"
        case .socketPathTooLong: "data"
        case .certificateWithoutKey: "tls_certificate"
        case .keyWithoutCertificate: "tls_key"
        case .tlsWithoutCertificate: "tls"
        case .lineBelowDocument: "limit_line"
        case .budgetBelowLine: "limit_line_budget"
        case .roomBelowSession: "limit_room_selections"
        }
    }

    package var description: String {
        switch self {
        case .openToAnyone(let address):
            "listen: other machines can reach \(address), and every client would have full access; "
                + "set require_tokens to true, or set allow_anyone_from_anywhere to true to permit this"
        case .openThroughProxy(let host):
            "web_hosts: other machines may reach this server as \(host), and every client would have full access; "
                + "set require_tokens to true, or set allow_anyone_from_anywhere to true to permit this"
        case .localSitesElsewhere(let reached):
            "web_origins: other machines can reach this server as \(reached), so \(AllowedSites.local) is not allowed; "
                + "name each site, such as http://localhost:8000"
        case .tokensAndAnyone:
            "allow_anyone_from_anywhere and require_tokens are both true; set one of them to false"
        case .keysWithoutTokens:
            "token_keys is set, but require_tokens is false, so nobody needs a token; set require_tokens to true"
        case .guestsWithoutTokens:
            "guest_read is set, but require_tokens is false, so everybody has full access; set require_tokens to true"
        case .pageTokensWithoutTokens:
            "page_token_path is set, but require_tokens is false, so nobody needs a token; set require_tokens to true"
        case .linksWithoutTokens:
            "share_links is true, but require_tokens is false, so nobody needs a link; set require_tokens to true"
        case .keysWithoutAudience:
            "token_keys is set, but token_audience is empty; set it to the aud of the tokens, such as notes.example.org"
        case .proxiesWithoutTokens:
            "sign_in_header is set, but require_tokens is false, so nobody needs to sign in; set require_tokens to true"
        case .headerWithoutProxies:
            "sign_in_header is set, but sign_in_proxies is empty, so no proxy is trusted; "
                + "set it to the address of the proxy, such as 127.0.0.1"
        case .noListener: "listen is empty and admin_socket is false; no client could connect"
        case .sameAddress(let address): "listen: \(address) is given twice"
        case .socketPathTooLong(let bytes):
            "data: the path of caretd.sock would have \(bytes) bytes, but the system allows \(Self.longestSocketPath); "
                + "choose a shorter path, or set admin_socket to false"
        case .certificateWithoutKey:
            "tls_certificate is set, but tls_key is empty; set it to the file of the private key"
        case .keyWithoutCertificate:
            "tls_key is set, but tls_certificate is empty; set it to the file of the certificate"
        case .tlsWithoutCertificate(let use):
            "tls is \(use.rawValue), but there is no certificate; set tls_certificate and tls_key"
        case .lineBelowDocument(let line, let least):
            "limit_line: \(SizeText.written(line)) is less than \(SizeText.written(least)), the length of "
                + "a line with a text of limit_document bytes, each escaped to six bytes"
        case .budgetBelowLine(let budget, let least):
            "limit_line_budget: \(SizeText.written(budget)) is less than \(SizeText.written(least)), the memory "
                + "for the longest line: limit_line, rounded down to a multiple of limit_free_line"
        case .roomBelowSession(let room, let session):
            "limit_room_selections: \(room) is less than limit_selections, which is \(session)"
        }
    }
}

package import CaretWire

/// Decides whether a request may be served, by the host that it names and the site whose page sent it. This
/// protects a server without tokens: a person's browser may also show pages of other sites, and these pages
/// must not use the server.
package struct SiteGuard: Sendable {
    /// Where a connection comes from.
    package enum Listener: Equatable, Sendable {
        /// The socket in the data folder, which no browser can open.
        case adminSocket
        case tcp
        /// The client is a proxy that may sign in users.
        case proxy
    }

    private let hosts: Set<String>
    private let sites: [AllowedSites]

    /// `hosts` are the names by which clients reach the server, as a proxy forwards them. Pages of
    /// `sites` may use this server.
    package init(hosts: [Authority] = [], sites: [AllowedSites] = []) {
        self.hosts = Set(hosts.map(\.host))
        self.sites = sites
    }

    /// Throws the refusal of a request that must not be served.
    func check(_ head: RequestHead, _ path: String, at listener: Listener, isSecure: Bool) throws(WebRefusal)
    {
        if listener == .adminSocket { return }
        let text = String(decoding: head.fields["host"].first ?? [], as: UTF8.self)
        guard let host = Authority(text), isOurs(host) else {
            throw WebRefusal(
                .misdirectedRequest, .badHost,
                "this server does not answer for the host \(text.prefix(100)); add its name to web_hosts")
        }
        try checkOrigin(head, path, host, isSecure: isSecure)
    }

    /// The site in `web_origins` whose page sent a request that was checked. Nil for all other requests.
    func otherSite(of head: RequestHead) -> String? {
        guard let sent = head.fields["origin"].first else { return nil }
        let text = String(decoding: sent, as: UTF8.self)
        return Origin(text).flatMap { isAllowed($0) ? text : nil }
    }

    /// Whether a request that was checked comes from a page of this server itself, or from a program that is no browser.
    /// A WebSocket must say so, because a page can read a WebSocket of another site.
    func isOfOwnPage(_ head: RequestHead, isWebSocket: Bool, isSecure: Bool) -> Bool {
        if let sent = head.fields["origin"].first {
            guard otherSite(of: head) == nil, let origin = Origin(String(decoding: sent, as: UTF8.self)),
                let host = Authority(String(decoding: head.fields["host"].first ?? [], as: UTF8.self))
            else { return false }
            return isOwn(origin, host, isSecure: isSecure)
        }
        let sites = head.fields["sec-fetch-site"]
        return sites.isEmpty ? !isWebSocket : sites == [Array("same-origin".utf8)]
    }

    /// A name of another site may point to this machine (DNS rebinding). So only known names are accepted.
    private func isOurs(_ host: Authority) -> Bool { host.isLoopback || hosts.contains(host.host) }

    private func checkOrigin(
        _ head: RequestHead, _ path: String, _ host: Authority, isSecure: Bool
    ) throws(WebRefusal) {
        let sent = head.fields["origin"]
        if let first = sent.first {
            let text = String(decoding: first, as: UTF8.self)
            guard sent.count == 1, let origin = Origin(text), isOurs(origin, host, isSecure: isSecure) else {
                throw WebRefusal(
                    .forbidden, .badOrigin,
                    "pages of \(text.prefix(100)) may not use this server; see web_origins")
            }
            return
        }
        // A browser sends one value. If there are several, each of them counts.
        let sites = head.fields["sec-fetch-site"].map { String(decoding: $0, as: UTF8.self) }
        guard sites.contains("cross-site") || sites.contains("same-site") else { return }
        guard Self.isPublic(path) || Self.isNavigation(head) && Self.isPage(path) else {
            throw WebRefusal(
                .forbidden, .badOrigin, "pages of other sites may not use this server; see web_origins")
        }
    }

    private func isOurs(_ origin: Origin, _ host: Authority, isSecure: Bool) -> Bool {
        isAllowed(origin) || isOwn(origin, host, isSecure: isSecure)
    }

    private func isAllowed(_ origin: Origin) -> Bool { sites.contains { $0.contains(origin) } }

    private func isOwn(_ origin: Origin, _ host: Authority, isSecure: Bool) -> Bool {
        if origin == Origin(isSecure: isSecure, host) { return true }
        // A proxy may end TLS. The page's origin then has `https`, although the request reaches this server
        // without TLS.
        return hosts.contains(host.host) && origin == Origin(isSecure: true, host)
    }

    /// The files of the JavaScript client, which are the same for everybody.
    private static func isPublic(_ path: String) -> Bool {
        path == "/caret.js" || path == "/caret.wasm" || path.hasPrefix("/caret/") || WebFile.isPackage(path)
    }

    private static func isPage(_ path: String) -> Bool { path == "/" || path.hasPrefix("/d/") }

    private static func isNavigation(_ head: RequestHead) -> Bool {
        head.method == "GET" && head.fields["sec-fetch-mode"] == [Array("navigate".utf8)]
    }
}

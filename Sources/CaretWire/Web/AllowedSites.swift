/// An item of `web_origins`: pages of these sites may use the server.
package enum AllowedSites: Hashable, Sendable, CustomStringConvertible {
    case one(Origin)
    /// All sites on this machine that use plain HTTP, on any port. Names such as `app.localhost` are not included.
    case local

    private static let localText = "http://localhost:*"
    private static let localHosts = ["localhost", "127.0.0.1", "[::1]"]

    package init?(_ text: String) {
        if text == Self.localText {
            self = .local
        } else if let origin = Origin(text) {
            self = .one(origin)
        } else {
            return nil
        }
    }

    package func contains(_ origin: Origin) -> Bool {
        switch self {
        case .one(let own): own == origin
        case .local: !origin.isSecure && Self.localHosts.contains(origin.host)
        }
    }

    package var description: String {
        switch self {
        case .one(let origin): "\(origin)"
        case .local: Self.localText
        }
    }
}

/// The scheme, host and port of a page, as in the `Origin` field.
package struct Origin: Hashable, Sendable, CustomStringConvertible {
    package let isSecure: Bool
    package let host: String
    package let port: Int

    /// Returns nil for `null`, and for schemes other than http and https.
    package init?(_ text: String) {
        let scheme = text.prefix { $0 != ":" }.lowercased()
        guard scheme == "http" || scheme == "https", text.dropFirst(scheme.count).hasPrefix("://"),
            let authority = Authority(String(text.dropFirst(scheme.count + 3)))
        else { return nil }
        self.init(isSecure: scheme == "https", authority)
    }

    package init(isSecure: Bool, _ authority: Authority) {
        self.isSecure = isSecure
        host = authority.host
        port = authority.port ?? Self.defaultPort(isSecure)
    }

    private var defaultPort: Int { Self.defaultPort(isSecure) }

    private static func defaultPort(_ isSecure: Bool) -> Int { isSecure ? 443 : 80 }

    package var description: String {
        "\(isSecure ? "https" : "http")://\(host)" + (port == defaultPort ? "" : ":\(port)")
    }
}

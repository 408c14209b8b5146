package import CaretWeb

/// What a listener speaks besides lines.
package struct ListenerProtocols: Sendable {
    /// How HTTP is served; nil if the listener serves no HTTP.
    package var web: SiteGuard.Listener?
    /// Nil if the listener has no certificate.
    package var tls: ListenerTLS?

    package init(web: SiteGuard.Listener? = nil, tls: ListenerTLS? = nil) {
        self.web = web
        self.tls = tls
    }
}

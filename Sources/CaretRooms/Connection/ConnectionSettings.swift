package import CaretLog
package import CaretWire

/// Settings that all connections of a server share. The closures are pure, except `page`, `store` and
/// `isOutputUsedUp`.
package final class ConnectionSettings: Sendable {
    package let limits: Limits
    /// The name and version that `welcome` sends.
    package let server: WireString
    /// The name of the server among those over one store; nil if it is the only one.
    package let node: WireString?
    package var features: [WireString] {
        ["follow", "squash", "exact", "blame", "notes"] + (limits.allowsLinks ? ["links"] : [])
    }
    /// The current address of the server's page. Nil if the server has no page.
    package let page: @Sendable () -> WireString?
    /// The current name of the store. Every epoch begins with this name.
    package let store: @Sendable () -> WireString
    /// Computes the public id of a pusher's client.
    package let publicClient: @Sendable (Pusher) -> WireString
    /// Computes the public id of a session: unique over all servers.
    package let sessionName: @Sendable (SessionID) -> WireString
    /// Computes a collision-resistant digest of a push.
    package let digest: @Sendable (PushForm) -> Digest
    /// Whether the server's memory for waiting output is used up.
    package let isOutputUsedUp: @Sendable () -> Bool

    package init(
        limits: Limits, server: WireString, node: WireString? = nil,
        page: @escaping @Sendable () -> WireString? = { nil },
        store: @escaping @Sendable () -> WireString,
        publicClient: @escaping @Sendable (Pusher) -> WireString,
        sessionName: @escaping @Sendable (SessionID) -> WireString,
        digest: @escaping @Sendable (PushForm) -> Digest,
        isOutputUsedUp: @escaping @Sendable () -> Bool = { false }
    ) {
        self.limits = limits
        self.server = server
        self.node = node
        self.page = page
        self.store = store
        self.publicClient = publicClient
        self.sessionName = sessionName
        self.digest = digest
        self.isOutputUsedUp = isOutputUsedUp
    }

    /// The same settings with other limits.
    package func with(_ limits: Limits) -> ConnectionSettings { with(limits, isOutputUsedUp) }

    /// The same settings, for a server that knows whether its memory for output is used up.
    package func with(isOutputUsedUp: @escaping @Sendable () -> Bool) -> ConnectionSettings {
        with(limits, isOutputUsedUp)
    }

    private func with(_ limits: Limits, _ isOutputUsedUp: @escaping @Sendable () -> Bool)
        -> ConnectionSettings
    {
        ConnectionSettings(
            limits: limits, server: server, node: node, page: page, store: store,
            publicClient: publicClient, sessionName: sessionName, digest: digest,
            isOutputUsedUp: isOutputUsedUp)
    }
}

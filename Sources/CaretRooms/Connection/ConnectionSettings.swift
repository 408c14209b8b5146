package import CaretLog
package import CaretWire

/// What all connections of a server have in common, there once for all of them. The closures are pure, but for `store`.
package final class ConnectionSettings: Sendable {
    package let limits: Limits
    /// What the server calls itself.
    package let server: WireString
    package let features: [WireString]
    /// The store's name by now: what the epochs of all its documents begin with.
    package let store: @Sendable () -> WireString
    /// What others may know a pusher's client by.
    package let publicClient: @Sendable (Pusher) -> WireString
    /// What a session is called on the wire: unique over all servers.
    package let sessionName: @Sendable (SessionID) -> WireString
    /// A digest of bytes that nobody can find others for.
    package let digest: @Sendable ([UInt8]) -> Digest

    package init(
        limits: Limits, server: WireString, features: [WireString] = ["follow", "squash"],
        store: @escaping @Sendable () -> WireString,
        publicClient: @escaping @Sendable (Pusher) -> WireString,
        sessionName: @escaping @Sendable (SessionID) -> WireString,
        digest: @escaping @Sendable ([UInt8]) -> Digest
    ) {
        self.limits = limits
        self.server = server
        self.features = features
        self.store = store
        self.publicClient = publicClient
        self.sessionName = sessionName
        self.digest = digest
    }
}

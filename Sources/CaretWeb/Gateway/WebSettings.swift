package import CaretRooms
package import CaretWire

/// Settings that all web connections of a server share. The closures are pure.
package final class WebSettings: Sendable {
    package let connection: ConnectionSettings
    package let siteGuard: SiteGuard
    /// How proxies sign in users. Nil if they do not.
    let proxySignIn: ProxySignIn?
    let assistant: AssistantAnswers
    /// The files that the server sends to everybody, by path.
    package let files: [String: WebFile]
    /// Computes the SHA-1 digest that the handshake of a WebSocket needs.
    package let sha1: @Sendable ([UInt8]) -> [UInt8]
    /// Makes a random client id, for requests that name no client.
    package let makeClientID: @Sendable () -> WireString

    package init(
        _ connection: ConnectionSettings, siteGuard: SiteGuard, proxySignIn: ProxySignIn? = nil,
        assistant: AssistantAnswers, files: [String: WebFile], sha1: @escaping @Sendable ([UInt8]) -> [UInt8],
        makeClientID: @escaping @Sendable () -> WireString
    ) {
        self.connection = connection
        self.siteGuard = siteGuard
        self.proxySignIn = proxySignIn
        self.assistant = assistant
        self.files = files
        self.sha1 = sha1
        self.makeClientID = makeClientID
    }

    /// The same settings with other limits and another site guard.
    package func with(_ limits: Limits, _ siteGuard: SiteGuard) -> WebSettings {
        WebSettings(
            connection.with(limits), siteGuard: siteGuard, proxySignIn: proxySignIn, assistant: assistant,
            files: files, sha1: sha1,
            makeClientID: makeClientID)
    }
}

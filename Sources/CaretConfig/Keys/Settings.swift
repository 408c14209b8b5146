package import CaretWire

/// The settings of a server, as plain values. `Wiring.swift` in caretd passes them to the server and the
/// store.
package struct Settings: Equatable, Sendable {
    /// The folder for all data.
    package var data = "data"
    /// The addresses to listen on. The default port spells CARET on the keypad of a phone.
    package var listen = [ListenAddress.loopback(port: 22738)]
    /// Whether the server listens on `caretd.sock` in the data folder, where every client is admin.
    package var hasAdminSocket = true
    /// Whether every client needs a token.
    package var requiresTokens = false
    /// The file with the keys of signed tokens; empty if there are none.
    package var tokenKeys = ""
    /// The audience of signed tokens.
    package var tokenAudience = ""
    package var tokenMaxLifeSeconds = 86_400
    /// What clients without a token may read if tokens are required, as beginnings of names.
    package var guestRead: [String] = []
    /// The field in which a proxy names the user of each request; empty if no proxy does.
    package var signInHeader = ""
    /// The trusted proxies.
    package var signInProxies: [IPAddress] = []
    /// What the users of these proxies may do.
    package var signInRights: [SignInRight] = []
    package var signInLifeSeconds = 3_600
    /// Where the page gets its tokens, on its own origin; empty if its users enter them.
    package var pageTokenPath = ""
    /// Whether clients on other machines have full access without a token.
    package var allowsAnyoneFromAnywhere = false

    /// Whether the server also accepts HTTP and WebSocket, besides its protocol of lines.
    package var servesWeb = true
    /// The names under which the server is reached over HTTP, besides those of this machine.
    package var webHosts: [Authority] = []
    /// Pages of these sites may use the server.
    package var webOrigins: [AllowedSites] = []

    /// The PEM files of the certificate with its chain, and of its private key; empty for no TLS.
    package var tlsCertificate = ""
    package var tlsKey = ""
    package var tls = TLSUse.auto

    /// The address of a PostgreSQL database; empty for SQLite in the data folder.
    package var store = ""
    /// Empty for the name of the machine.
    package var node = ""
    /// Where clients reach the server; empty for an address that it listens at.
    package var address = ""
    /// Whether a PostgreSQL server without a synchronous standby is accepted.
    package var allowsUnreplicated = false
    package var keepHistory = KeptHistory.forever
    /// For how many seconds a deleted document can be restored.
    package var keepDeletedSeconds = 30 * 86_400
    /// Seconds between two upkeep rounds of the store over all documents.
    package var upkeepSeconds = 3_600

    package var logFormat = LogFormat.plain
    package var logLevel = LogLevel.info

    /// The number of event loops; 0 means one per core.
    package var loops = 0
    /// The number of queues that rooms run on; 0 means one per core.
    package var roomQueues = 0

    /// Pushes per second on one connection, if tokens are required.
    package var pushesPerSecond = 100
    /// The limits as configured. Use `limits` to get the effective limits.
    package var configuredLimits = Limits()

    package init() {}

    /// The effective limits. The rate of pushes is limited only if tokens are required, because only tokens
    /// distinguish users.
    package var limits: Limits {
        var limits = configuredLimits
        limits.announced.pushesPerSecond = requiresTokens ? pushesPerSecond : nil
        return limits
    }

    package var hasCertificate: Bool { !tlsCertificate.isEmpty }

    /// Whether clients of an address must use TLS.
    package func requiresTLS(at address: ListenAddress) -> Bool {
        switch tls {
        case .offered: false
        case .required: true
        case .auto: hasCertificate && !address.isLoopback
        }
    }

    /// The path of the socket for local admins, in the data folder.
    package var adminSocketPath: String { data + "/caretd.sock" }
}

/// Whether clients must use TLS, if there is a certificate.
package enum TLSUse: String, CaseIterable, Sendable {
    case offered, required
    /// TLS is offered on loopback, and required at other addresses.
    case auto
}

/// How much of a document's history is kept.
package enum KeptHistory: Equatable, Sendable {
    case forever
    case seconds(Int)
    case revisions(Int)
}

package enum LogFormat: String, CaseIterable, Sendable {
    case plain, json
}

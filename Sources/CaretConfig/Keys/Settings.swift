package import CaretWire

/// The settings of a server, as plain values. The wiring passes each to the part that needs it.
package struct Settings: Equatable, Sendable {
    /// The folder for all data.
    package var data = "data"
    /// The addresses to listen on. The default port spells CARET on a phone's keys.
    package var listen = [ListenAddress.loopback(port: 22738)]
    /// Whether the server listens on `caretd.sock` in the data folder, where every client is admin.
    package var hasAdminSocket = true
    /// Whether every client needs a token.
    package var requiresTokens = false
    /// Whether clients on other machines have full access without a token.
    package var allowsAnyoneFromAnywhere = false

    package var keepHistory = KeptHistory.forever
    /// For how many seconds a deleted document can be restored.
    package var keepDeletedSeconds = 30 * 86_400
    /// Seconds between two upkeep rounds of the store over all documents.
    package var upkeepSeconds = 3_600

    package var logFormat = LogFormat.plain
    package var logLevel = LogLevel.info

    /// Loops that serve connections; 0 means one per core.
    package var loops = 0
    /// Queues that rooms run on; 0 means one per core.
    package var roomQueues = 0

    /// Pushes per second on one connection, if tokens are required.
    package var pushesPerSecond = 100
    /// The limits as configured. Use `limits` for those in force.
    package var configuredLimits = Limits()

    package init() {}

    /// The limits in force. Pushes are limited only if tokens are required, since only tokens tell users
    /// apart.
    package var limits: Limits {
        var limits = configuredLimits
        limits.announced.pushesPerSecond = requiresTokens ? pushesPerSecond : nil
        return limits
    }

    /// The path of the socket for local admins, in the data folder.
    package var adminSocketPath: String { data + "/caretd.sock" }
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

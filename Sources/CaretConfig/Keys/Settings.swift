package import CaretWire

/// What a server runs with. Plain values, which the wiring hands to whom they concern.
package struct Settings: Equatable, Sendable {
    /// The folder of everything that is kept.
    package var data = "data"
    /// Where connections are taken. The port is CARET on a telephone's keys.
    package var listen = [ListenAddress.loopback(port: 22738)]
    /// Whether `caretd.sock` in the data folder is a listener whose user is admin.
    package var hasAdminSocket = true
    /// Whether nobody may do anything without a token.
    package var requiresTokens = false
    /// Whether other machines may do everything without a token.
    package var allowsAnyoneFromAnywhere = false

    package var keepHistory = KeptHistory.forever
    /// Seconds for which a deleted document may be brought back.
    package var keepDeletedSeconds = 30 * 86_400
    /// Seconds between two rounds in which the store goes through all documents.
    package var upkeepSeconds = 3_600

    package var logFormat = LogFormat.plain
    package var logLevel = LogLevel.info

    /// Loops that serve connections; 0 is one a core.
    package var loops = 0
    /// Queues that rooms run on; 0 is one a core.
    package var roomQueues = 0

    /// Pushes a connection a second where tokens are required.
    package var pushesPerSecond = 100
    /// As configured; `limits` is what holds.
    package var configuredLimits = Limits()

    package init() {}

    /// The limits that hold: pushes are counted only where tokens say whose they are.
    package var limits: Limits {
        var limits = configuredLimits
        limits.announced.pushesPerSecond = requiresTokens ? pushesPerSecond : nil
        return limits
    }

    /// The socket of the local admin, inside the data folder.
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

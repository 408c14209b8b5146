import Glibc

/// How long a store keeps what nobody needs for the text of today.
package struct StoreSettings: Sendable {
    package enum History: Equatable, Sendable {
        case all
        /// The revisions of so many milliseconds.
        case time(Int64)
        /// At least so many revisions, and a sixteenth more at most.
        case revisions(Int)
    }

    package static let day: Int64 = 86_400_000

    package var keepHistory = History.all
    /// How long a deleted document may be brought back, in milliseconds.
    package var keepDeleted = 30 * day
    /// How long a pusher is remembered after his last push, in milliseconds.
    package var keepPushers = 90 * day

    /// How often the store goes through all documents by itself; nil is never.
    package var roundEvery: Duration? = .seconds(3600)
    /// The time by which rounds judge what is old, in milliseconds since 1970.
    package var now: @Sendable () -> Int64 = { StoreSettings.systemTime() }

    package init() {}

    /// For whoever opens the store of a server that is not running, and does not know what that was told to keep:
    /// nothing is forgotten meanwhile.
    package static var withoutRounds: StoreSettings {
        var settings = StoreSettings()
        (settings.keepDeleted, settings.keepPushers, settings.roundEvery) = (.max, .max, nil)
        return settings
    }

    private static func systemTime() -> Int64 {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000
    }
}

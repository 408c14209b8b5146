import Glibc

/// How long a store keeps data that the current texts do not need.
package struct StoreSettings: Sendable {
    package enum History: Equatable, Sendable {
        case all
        /// All revisions that are younger than this number of milliseconds.
        case time(Int64)
        /// At least this number of the newest revisions, and at most a sixteenth more.
        case revisions(Int)
    }

    package static let day: Int64 = 86_400_000

    package var keepHistory = History.all
    /// How long a deleted document can be undeleted, in milliseconds.
    package var keepDeleted = 30 * day
    /// How long a pusher is remembered after their last push, in milliseconds.
    package var keepPushers = 90 * day

    /// How often upkeep visits all documents; nil for never.
    package var roundEvery: Duration? = .seconds(3600)
    /// The clock by which a round decides what is old, in milliseconds since 1970.
    package var now: @Sendable () -> Int64 = { StoreSettings.systemTime() }

    package init() {}

    /// For commands that open the store of a stopped server and do not know its settings. The store then
    /// deletes nothing.
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

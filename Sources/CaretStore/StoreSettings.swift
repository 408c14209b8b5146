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

    package init() {}
}

package import CaretCore
package import CaretLog
package import CaretWire

/// The user and client behind a session, and the unit in which they count offsets.
package struct Participant: Equatable, Sendable {
    /// Identifies their pushes. `pusher.client` is secret: others only see `introduction.client`.
    package let pusher: Pusher
    /// The id of the session as sent to clients.
    package let name: WireString
    package let introduction: Introduction
    package let unit: CodeUnit

    package init(pusher: Pusher, name: WireString, introduction: Introduction, unit: CodeUnit) {
        self.pusher = pusher
        self.name = name
        self.introduction = introduction
        self.unit = unit
    }
}

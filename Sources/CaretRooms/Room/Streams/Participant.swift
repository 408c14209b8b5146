package import CaretCore
package import CaretLog
package import CaretWire

/// The person of a session, and the unit in which they count positions.
package struct Participant: Equatable, Sendable {
    /// Identifies their pushes. Its client id is a secret between them and the server.
    package let pusher: Pusher
    /// The name of the session on the wire.
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

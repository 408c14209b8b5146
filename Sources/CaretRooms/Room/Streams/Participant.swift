package import CaretCore
package import CaretLog
package import CaretWire

/// Which session, of all that this server has ever had.
package struct SessionID: Hashable, Comparable, Sendable {
    package let value: Int64

    package init(_ value: Int64) { self.value = value }

    package static func < (left: SessionID, right: SessionID) -> Bool { left.value < right.value }
}

/// Who is behind a session, and how he counts.
package struct Participant: Equatable, Sendable {
    /// By what his pushes are known; its client is a secret between him and the server.
    package let pusher: Pusher
    /// What the session is called on the wire.
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

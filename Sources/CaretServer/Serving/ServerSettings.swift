package import CaretWire

/// What a server runs with.
package struct ServerSettings: Sendable {
    package var limits = Limits()
    package var loops: Int
    package var roomQueues: Int
    /// What it calls itself.
    package var name: WireString

    package init(name: WireString, loops: Int, roomQueues: Int) {
        self.name = name
        self.loops = loops
        self.roomQueues = roomQueues
    }
}

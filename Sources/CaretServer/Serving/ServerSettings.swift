package import CaretWire
import Glibc

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

    /// Those of the machine, of which each has a loop and a queue of rooms where nobody says otherwise.
    package static let cores = max(1, Int(sysconf(Int32(_SC_NPROCESSORS_ONLN))))
}

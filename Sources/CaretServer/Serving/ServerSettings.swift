package import CaretWire
import Glibc

/// The settings of a server.
package struct ServerSettings: Sendable {
    package var limits = Limits()
    package var loops: Int
    package var roomQueues: Int
    /// The name and version that `welcome` sends.
    package var name: WireString

    package init(name: WireString, loops: Int, roomQueues: Int) {
        self.name = name
        self.loops = loops
        self.roomQueues = roomQueues
    }

    /// The processors of the machine. By default there is a loop and a queue of rooms for each.
    package static let cores = max(1, Int(sysconf(Int32(_SC_NPROCESSORS_ONLN))))
}

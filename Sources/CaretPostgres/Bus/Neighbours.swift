/// The other servers that this one hears, and whether a message of them was lost.
package struct Neighbours: Equatable {
    private struct Neighbour: Equatable {
        var run: UInt64
        /// The number of the last message.
        var last: Int64
        /// When the last message came, in milliseconds.
        var heard: Int64
    }

    private var neighbours: [Int64: Neighbour] = [:]

    /// A server sends at least one message in this time, in milliseconds.
    package static let beat: Int64 = 1_000
    /// A server that was silent for this time has ended, or its messages do not arrive.
    package static let silence: Int64 = 3_000

    package init() {}

    /// Records a message. Returns whether an earlier message was lost, or may have been lost with the end of an earlier
    /// run of its sender.
    package mutating func hear(_ message: BusMessage, at now: Int64) -> Bool {
        let (sender, number) = (message.sender, message.number)
        guard let known = neighbours[sender.node] else {
            neighbours[sender.node] = Neighbour(run: sender.run, last: number, heard: now)
            return false
        }
        if known.run != sender.run {
            neighbours[sender.node] = Neighbour(run: sender.run, last: number, heard: now)
            return true
        }
        neighbours[sender.node]?.heard = now
        if number <= known.last { return false }
        neighbours[sender.node]?.last = number
        return number != known.last + 1
    }

    /// Forgets the servers that are silent. Returns whether there are any: what such a server committed last may be
    /// known to nobody.
    package mutating func forgetSilent(at now: Int64) -> Bool {
        let count = neighbours.count
        neighbours = neighbours.filter { $0.value.heard + Neighbours.silence > now }
        return neighbours.count < count
    }

    /// Forgets all servers, because messages may have been missed.
    package mutating func forgetAll() { neighbours = [:] }
}

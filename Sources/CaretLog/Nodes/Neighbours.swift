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
    private let silence: Int64

    /// A server sends at least one message in this time, in milliseconds.
    package static let beat: Int64 = 1_000
    /// A server that was silent for this time has ended, or its messages do not arrive.
    package static let silence: Int64 = 3_000

    package init(silence: Int64 = Neighbours.silence) { self.silence = silence }

    package var count: Int { neighbours.count }

    /// Records a message. Returns what it shows about earlier ones.
    package mutating func hear(_ message: BusMessage, at now: Int64) -> [NodeEvent] {
        let (sender, number) = (message.sender, message.number)
        guard let known = neighbours[sender.node] else {
            neighbours[sender.node] = Neighbour(run: sender.run, last: number, heard: now)
            return [.found(sender)]
        }
        if known.run != sender.run {
            neighbours[sender.node] = Neighbour(run: sender.run, last: number, heard: now)
            // The earlier run may have told nobody of its last commits.
            return [.gone(NodeID(node: sender.node, run: known.run)), .missed, .found(sender)]
        }
        neighbours[sender.node]?.heard = now
        if number <= known.last { return [] }
        neighbours[sender.node]?.last = number
        return number == known.last + 1 ? [] : [.missed]
    }

    /// Forgets the servers that are silent. What such a server committed last may be known to nobody.
    package mutating func forgetSilent(at now: Int64) -> [NodeEvent] {
        let silent = neighbours.filter { $0.value.heard + silence <= now }
        for node in silent.keys { neighbours[node] = nil }
        return silent.isEmpty
            ? []
            : silent.sorted { $0.key < $1.key }.map { .gone(NodeID(node: $0.key, run: $0.value.run)) } + [
                .missed
            ]
    }

    /// Forgets all servers, because messages may have been missed.
    package mutating func forgetAll() { neighbours = [:] }
}

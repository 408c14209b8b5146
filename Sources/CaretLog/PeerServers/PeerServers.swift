/// The other servers that send messages to this one. Detects missed messages.
package struct PeerServers: Equatable {
    private struct PeerServer: Equatable {
        /// The number of the last message.
        var last: Int64
        /// When the last message came, in milliseconds.
        var received: Int64
        /// Whether a later run of the same server was found, so that this one counts as ended.
        var hasEnded = false
    }

    private var peers: [NodeID: PeerServer] = [:]
    private let silence: Int64

    /// A server sends at least one message in this time, in milliseconds.
    package static let beat: Int64 = 1_000
    /// A server that was silent for this time has ended, or its messages do not arrive.
    package static let silence: Int64 = 3_000

    package init(silence: Int64 = PeerServers.silence) { self.silence = silence }

    package var count: Int { peers.count { !$0.value.hasEnded } }

    /// Records a message. Returns what it shows about earlier ones.
    package mutating func received(_ message: BusMessage, at now: Int64) -> [BusEvent] {
        let (sender, number) = (message.sender, message.number)
        guard let known = peers[sender] else {
            let ended = endRuns(of: sender.node)
            peers[sender] = PeerServer(last: number, received: now)
            // The earlier run may not have published its last commits.
            return ended.isEmpty ? [.found(sender)] : ended.map { .gone($0) } + [.missed, .found(sender)]
        }
        peers[sender] = PeerServer(last: max(number, known.last), received: now)
        // Two servers have one name. This one did not end when the other one was found.
        if known.hasEnded { return [.missed, .found(sender)] }
        return number <= known.last + 1 ? [] : [.missed]
    }

    /// A server was started again: its earlier run has ended.
    private mutating func endRuns(of node: Int64) -> [NodeID] {
        let ended = peers.filter { $0.key.node == node && !$0.value.hasEnded }.map(\.key).sorted()
        for one in ended { peers[one]?.hasEnded = true }
        return ended
    }

    /// Forgets the servers that are silent. Such a server may not have published its last commits.
    package mutating func forgetSilent(at now: Int64) -> [BusEvent] {
        let silent = peers.filter { $0.value.received + silence <= now }
        for one in silent.keys { peers[one] = nil }
        let gone = silent.filter { !$0.value.hasEnded }.map(\.key).sorted()
        return gone.isEmpty ? [] : gone.map { .gone($0) } + [.missed]
    }

    /// Forgets all servers, because messages may have been missed.
    package mutating func forgetAll() { peers = [:] }
}

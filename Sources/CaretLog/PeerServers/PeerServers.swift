import CaretCore

/// The other servers that send messages to this one. Detects missed messages, and knows what each server needs.
package struct PeerServers {
    fileprivate struct PeerServer {
        /// The number of the last message to all; nil if none came.
        var last: Int64?
        /// The number of the last message to this server alone.
        var lastToMe: Int64 = 0
        /// When the last message came, in milliseconds.
        var received: Int64
        /// Whether a later run of the same server was found, so that this one counts as ended.
        var hasEnded = false
        /// The slices whose news the server needs; nil if it has not said so, or if a message was missed. Then it gets
        /// all news, with the messages to all. A server of version 0.2 never says so.
        var needs: DocumentSlices?
    }

    /// The servers that have not ended, and what any of them needs.
    private struct Overview {
        var servers: [(id: NodeID, needs: DocumentSlices?)] = []
        var needs = DocumentSlices.none
    }

    private var peers: [NodeID: PeerServer] = [:]
    /// How many messages this server has sent to each server alone, also if it has forgotten that one meanwhile.
    private var sent: [NodeID: Int64] = [:]
    /// Those of them that were not told of their newest number yet.
    private var untold: Set<NodeID> = []
    private let silence: Int64
    /// What servers need, and did not need before, since the last call of `takeNewNeeds`.
    private var newNeeds = DocumentSlices.none
    /// Nil if something has changed since it was computed.
    private var overview: Overview?

    /// A server sends at least one message in this time, in milliseconds.
    package static let beat: Int64 = 1_000
    /// A server that was silent for this time has ended, or its messages do not arrive.
    package static let silence: Int64 = 3_000

    package init(silence: Int64 = PeerServers.silence) { self.silence = silence }

    package var count: Int { peers.count { !$0.value.hasEnded } }

    // MARK: Messages

    /// Records a message to all, or to the server `me` alone. Returns what it shows about earlier ones.
    package mutating func received(_ message: BusMessage, by me: NodeID? = nil, at now: Int64) -> [BusEvent] {
        let sender = message.sender
        let (wasKnown, needed) = (peers[sender]?.hasEnded == false, needs(of: sender))
        defer {
            let needs = needs(of: sender)
            if !wasKnown || needs != needed {
                overview = nil
                newNeeds.formUnion(needs.subtracting(needed))
            }
        }
        guard var known = peers[sender] else {
            let ended = endRuns(of: sender.node)
            var new = PeerServer(received: now)
            _ = new.note(message, me, at: now)
            peers[sender] = new
            // The earlier run may not have published its last commits.
            return ended.isEmpty ? [.found(sender)] : ended.map { .gone($0) } + [.missed, .found(sender)]
        }
        let hasMissed = known.note(message, me, at: now)
        let hadEnded = known.hasEnded
        known.hasEnded = false
        peers[sender] = known
        // Two servers have one name. This one did not end when the other one was found.
        if hadEnded { return [.missed, .found(sender)] }
        return hasMissed ? [.missed] : []
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
        if silent.isEmpty { return [] }
        for (id, peer) in silent {
            peers[id] = nil
            // Another run has followed this one.
            if peer.hasEnded { sent[id] = nil }
        }
        overview = nil
        let gone = silent.filter { !$0.value.hasEnded }.map(\.key).sorted()
        return gone.isEmpty ? [] : gone.map { .gone($0) } + [.missed]
    }

    /// Forgets all servers, because messages may have been missed.
    package mutating func forgetAll() { (peers, overview) = ([:], nil) }

    /// The others take this server for another one from now on.
    mutating func beginNewRun() { (sent, untold) = ([:], []) }

    // MARK: What servers need

    /// The slices of which a server gets the news: all, if it has not said what it needs.
    private func needs(of node: NodeID) -> DocumentSlices {
        guard let peer = peers[node], !peer.hasEnded else { return .none }
        return peer.needs ?? .all
    }

    /// Removes and returns the slices that a server needs and did not need before.
    mutating func takeNewNeeds() -> DocumentSlices? {
        if newNeeds.isEmpty { return nil }
        defer { newNeeds = .none }
        return newNeeds
    }

    enum Readers {
        case nobody, everybody
        case some([NodeID])
    }

    /// The servers that need the news of this slice.
    mutating func readers(of slice: Int) -> Readers {
        let overview = currentOverview()
        if !overview.needs.contains(slice) { return .nobody }
        let readers = overview.servers.filter { $0.needs?.contains(slice) ?? true }
        // PostgreSQL wakes all servers for any message. So if most of them need it, one message to all is cheapest.
        let isForAll = readers.contains { $0.needs == nil } || 2 * readers.count > overview.servers.count
        return isForAll ? .everybody : .some(readers.map(\.id))
    }

    mutating func isNeeded(_ slice: Int) -> Bool { currentOverview().needs.contains(slice) }

    private mutating func currentOverview() -> Overview {
        if let overview { return overview }
        var new = Overview()
        for (id, peer) in peers.sorted(by: { $0.key < $1.key }) where !peer.hasEnded {
            new.servers.append((id, peer.needs))
            new.needs.formUnion(peer.needs ?? .all)
        }
        overview = new
        return new
    }

    // MARK: Messages to one server

    /// The number of the next message to this server alone.
    mutating func nextNumber(to node: NodeID) -> Int64 {
        untold.insert(node)
        sent[node, default: 0] += 1
        return sent[node] ?? 1
    }

    /// How many messages were sent to servers alone, of which they were not told yet.
    mutating func takeCounts() -> [BusMessage.Word] {
        defer { untold = [] }
        return untold.sorted().map { .sent(sent[$0] ?? 0, to: $0) }
    }
}

extension PeerServers.PeerServer {
    /// Records a message of this server. Returns whether an earlier one was missed.
    fileprivate mutating func note(_ message: BusMessage, _ me: NodeID?, at now: Int64) -> Bool {
        received = now
        var hasMissed = false
        if message.recipient != nil {
            hasMissed = message.number > lastToMe + 1
            lastToMe = max(message.number, lastToMe)
        } else if let last, message.number > last + 1 {
            // The server may have said what it needs.
            (hasMissed, needs) = (true, nil)
        }
        if message.recipient == nil { last = max(message.number, last ?? message.number) }
        for word in message.words {
            switch word {
            case .needs(let slices): needs = slices
            case .needsToo(let slices): needs?.formUnion(slices)
            case .sent(let count, let node) where node == me:
                if count > lastToMe { hasMissed = true }
                lastToMe = max(count, lastToMe)
            // The server may say only in its next message that it has opened the document.
            case .notification(.roster(let document)): needs?.insert(DocumentSlices.slice(of: document))
            case .sent, .asksForNeeds, .notification: break
            }
        }
        return hasMissed
    }
}

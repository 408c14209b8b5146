import CaretCore
import TestSupport
import Testing

@Suite("Recorded editing sessions") struct TraceTests {
    @Test("replaying a session gives its final text", arguments: Trace.names)
    func sequential(name: String) throws {
        if skips(name) { return }
        let trace = try Trace(named: name)
        var text = try TextBuffer(trace.start)
        for edit in trace.edits { try text.apply(edit) }
        #expect(text == (try TextBuffer(trace.end)))
        print("session \(name): \(trace.edits.count) edits replayed")
    }

    @Test("applying the diffs of successive texts also gives the final text")
    func differences() throws {
        let name = "sveltecomponent"
        if skips(name) { return }
        let trace = try Trace(named: name)
        var (text, followed) = (try TextBuffer(trace.start), try TextBuffer(trace.start))
        for (index, edit) in trace.edits.enumerated() {
            try text.apply(edit)
            if index % 7 == 0 { try followed.apply(diff(from: followed, to: text)) }
        }
        try followed.apply(diff(from: followed, to: text))
        #expect(followed == (try TextBuffer(trace.end)))
    }

    @Test("two concurrent authors who rebase unacked changes get the same text")
    func concurrent() throws {
        let name = "friendsforever_concurrent"
        if skips(name) { return }
        let trace = try ConcurrentTrace(named: name)
        var session = ConcurrentSession(trace)
        try session.run()
        #expect(session.clients.allSatisfy { $0.view == session.text })
        #expect(session.text == (try TextBuffer(trace.end)))
        print("session \(name): \(session.log.count) changes of \(trace.agents) authors replayed")
    }

    private func skips(_ name: String) -> Bool {
        guard let reason = TraceFolder.reasonForAbsence else { return false }
        print("SKIPPED session \(name): \(reason)")
        return true
    }
}

/// A recorded session of several authors, replayed as clients of one server. The server commits one change
/// after the other. An author's next change can be committed once the log has all changes that the author had
/// seen. The server takes the first author for whom this is true.
private struct ConcurrentSession {
    struct Client {
        var view = TextBuffer()
        /// How many changes of the log the client has applied.
        var received = 0
        /// The client's unacked changes. Each was made after the previous one.
        var unacked: [Change] = []

        mutating func apply(_ entry: (agent: Int, change: Change), as agent: Int) throws {
            received += 1
            if entry.agent == agent {
                unacked.removeFirst()
                return
            }
            var remote = entry.change
            for index in unacked.indices {
                let own = unacked[index]
                unacked[index] = own.rebased(over: remote, tie: .otherFirst)
                remote = remote.rebased(over: own, tie: .selfFirst)
            }
            try view.apply(remote)
        }

        /// Applies successive patches to the view, as one change.
        mutating func make(_ patches: [TracePatch]) throws {
            var whole = Change()
            for patch in patches {
                let start = try view.convert(ScalarOffset(patch.start), to: UTF16Unit.self)
                let end = try view.convert(ScalarOffset(patch.end), to: UTF16Unit.self)
                let change = try Change([Edit(start..<end, patch.text)])
                try view.apply(change)
                whole = try whole.composed(with: change)
            }
            unacked.append(whole)
        }
    }

    private let trace: ConcurrentTrace
    /// How many changes of each agent the author of a transaction had seen, including their own.
    private let seen: [[Int]]
    private(set) var text = TextBuffer()
    private(set) var log: [(agent: Int, change: Change)] = []
    private(set) var clients: [Client]

    init(_ trace: ConcurrentTrace) {
        self.trace = trace
        clients = Array(repeating: Client(), count: trace.agents)
        var seen: [[Int]] = []
        for transaction in trace.transactions {
            var counts = Array(repeating: 0, count: trace.agents)
            for parent in transaction.parents {
                let parentAgent = trace.transactions[parent].agent
                for agent in counts.indices {
                    counts[agent] = max(counts[agent], seen[parent][agent] + (agent == parentAgent ? 1 : 0))
                }
            }
            seen.append(counts)
        }
        self.seen = seen
    }

    mutating func run() throws {
        var queues = (0..<trace.agents).map { agent in
            trace.transactions.indices.filter { trace.transactions[$0].agent == agent }
        }
        for index in queues.indices { queues[index].reverse() }
        var committed = Array(repeating: 0, count: trace.agents)
        while let agent = queues.indices.first(where: { agent in
            queues[agent].last.map { isReady($0, after: committed) } ?? false
        }) {
            try commit(queues[agent].removeLast(), of: agent)
            committed[agent] += 1
        }
        for agent in clients.indices { try bring(agent, to: log.count) }
    }

    private func isReady(_ transaction: Int, after committed: [Int]) -> Bool {
        zip(seen[transaction], committed).allSatisfy { $0 <= $1 }
    }

    private mutating func commit(_ transaction: Int, of agent: Int) throws {
        try bring(agent, to: prefix(seenBy: transaction, of: agent))
        try clients[agent].make(trace.transactions[transaction].patches)
        // The server rebases the change over the changes that the author had not seen. The author's client
        // does the same when it receives those changes.
        var sent = clients[agent]
        while sent.received < log.count { try sent.apply(log[sent.received], as: agent) }
        let change = sent.unacked[0]
        try text.apply(change)
        log.append((agent, change))
    }

    /// The shortest part of the log with all changes of others that the author had seen.
    private func prefix(seenBy transaction: Int, of agent: Int) -> Int {
        var missing = seen[transaction]
        missing[agent] = 0
        var length = 0
        while missing.contains(where: { $0 > 0 }) {
            missing[log[length].agent] -= 1
            length += 1
        }
        return max(length, clients[agent].received)
    }

    private mutating func bring(_ agent: Int, to length: Int) throws {
        while clients[agent].received < length {
            try clients[agent].apply(log[clients[agent].received], as: agent)
        }
    }
}

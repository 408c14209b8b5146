import CaretCore
import TestSupport
import Testing

@Suite("All short histories of two clients") struct HistoryTests {
    @Test("two clients get the same text after any two edits each, in any order")
    func allHistories() throws {
        let longest = Seeds.share(of: 3, everyCommit: 2)
        var histories = 0
        for length in 0...longest {
            let start = try TextBuffer(String("pqr".prefix(length)))
            try History(start).explore { history in
                histories += 1
                let texts = history.clients.map(\.view)
                if texts != [history.text, history.text] {
                    Issue.record("\(history.log) over \(start.string) gives \(texts.map(\.string))")
                    return false
                }
                return true
            }
        }
        print("two clients, texts of at most \(longest) code units: \(histories) histories passed")
        #expect(histories == (longest == 3 ? 6_343_282 : 1_133_482))
    }
}

/// A server and two clients. Each client has one change in flight and composes its later edits into a second
/// change.
private struct History {
    struct Client {
        var view: TextBuffer
        /// How much of the log the client has applied.
        var received = 0
        /// The change that was sent, and the length of the log that it was made after. It stays unchanged
        /// until it is acked.
        var sent: (change: Change, base: Int)?
        var isCommitted = false
        /// The sent change, rebased over all changes that were applied since.
        var inFlight: Change?
        var unsent: Change?
        var typed = 0
    }

    private(set) var text: TextBuffer
    private(set) var log: [(author: Int, change: Change)] = []
    private(set) var clients: [Client]
    private var last = Move.none

    /// The last step. If the order of two steps makes no difference, only one order is tried. So after a
    /// commit, a client types only if it has applied that commit. If two clients type one after the other,
    /// the first client types first.
    private enum Move {
        case none
        case committed
        case typed(Int)
    }

    init(_ start: TextBuffer) {
        text = start
        clients = [Client(view: start), Client(view: start)]
    }

    /// Tries all steps from here. `body` checks each end state, and stops everything by returning false.
    @discardableResult
    func explore(_ body: (History) -> Bool) throws -> Bool {
        var isEnd = true
        for author in 0...1 {
            if clients[author].inFlight != nil, !clients[author].isCommitted {
                isEnd = false
                var next = self
                try next.commit(author)
                if try !next.explore(body) { return false }
            }
            if clients[author].typed < 2 {
                isEnd = false
                if try !exploreTyping(author, body) { return false }
            }
        }
        if !isEnd { return true }
        var end = self
        for author in 0...1 { try end.apply(author, through: log.count) }
        // After an ack, a client may send the edits that it composed while it waited for the ack.
        end.last = .none
        if end.clients.contains(where: { $0.inFlight != nil }) { return try end.explore(body) }
        return body(end)
    }

    /// Applies some of the log, then types any possible edit.
    private func exploreTyping(_ author: Int, _ body: (History) -> Bool) throws -> Bool {
        if case .typed(let other) = last, other > author { return true }
        var lengths = clients[author].received...log.count
        if case .committed = last { lengths = log.count...log.count }
        for length in lengths {
            var next = self
            try next.apply(author, through: length)
            let letter = [["a", "b"], ["x", "y"]][author][clients[author].typed]
            for change in AllChanges.single(over: next.clients[author].view.end.value, inserting: letter) {
                var typed = next
                try typed.type(author, change)
                if try !typed.explore(body) { return false }
            }
        }
        return true
    }

    private mutating func type(_ author: Int, _ change: Change) throws {
        try clients[author].view.apply(change)
        clients[author].typed += 1
        last = .typed(author)
        if clients[author].inFlight == nil {
            send(author, change)
        } else {
            clients[author].unsent = try clients[author].unsent?.composed(with: change) ?? change
        }
    }

    private mutating func send(_ author: Int, _ change: Change) {
        clients[author].sent = (change, clients[author].received)
        clients[author].inFlight = change
        clients[author].isCommitted = false
    }

    private mutating func commit(_ author: Int) throws {
        guard let sent = clients[author].sent else { return }
        let missed = log[sent.base...].map(\.change)
        let committed = sent.change.rebased(over: missed, tie: .otherFirst)
        try text.apply(committed)
        log.append((author, committed))
        clients[author].isCommitted = true
        last = .committed
    }

    private mutating func apply(_ author: Int, through length: Int) throws {
        while clients[author].received < length {
            let entry = log[clients[author].received]
            clients[author].received += 1
            if entry.author == author {
                let unsent = clients[author].unsent
                (clients[author].sent, clients[author].inFlight, clients[author].unsent) = (nil, nil, nil)
                if let unsent, !unsent.isEmpty { send(author, unsent) }
            } else {
                try apply(author, entry.change)
            }
        }
    }

    private mutating func apply(_ author: Int, _ change: Change) throws {
        var remote = change
        if let own = clients[author].inFlight {
            clients[author].inFlight = own.rebased(over: remote, tie: .otherFirst)
            remote = remote.rebased(over: own, tie: .selfFirst)
        }
        if let own = clients[author].unsent {
            clients[author].unsent = own.rebased(over: remote, tie: .otherFirst)
            remote = remote.rebased(over: own, tie: .selfFirst)
        }
        try clients[author].view.apply(remote)
    }
}

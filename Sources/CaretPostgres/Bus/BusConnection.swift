import CaretLog
import Glibc

/// The connection of a bus, which is made again after it was lost.
struct BusConnection {
    private let shared: SharedState
    private let sender: NodeID
    private var connection: PostgresConnection?
    private var incarnation = 0
    private var neighbours = Neighbours()
    /// The number of messages that this run has sent.
    private var sent: Int64 = 0
    private var sentLast = ContinuousClock.now
    /// News that were not sent, because the connection was lost.
    private var unsent: [NodeNews] = []
    /// What this server says of itself, and was not written yet.
    var report: NodeReport?
    private var hasName = false
    private var nextAttempt = ContinuousClock.now
    private var pause = BusConnection.shortestPause

    private static let shortestPause = Duration.milliseconds(50)
    private static let longestPause = Duration.seconds(1)

    /// Connects, and takes the lock on the server's name. Another running server may have it.
    init(_ shared: SharedState, name: String) throws(PostgresOpeningFault) {
        self.shared = shared
        sender = NodeID(node: shared.node, run: .random(in: .min ... .max))
        // The lock of a server that was killed lasts until PostgreSQL has noticed the end of its connection.
        let end = ContinuousClock.now + .milliseconds(Int64(shared.patience) * 4 / 5)
        do throws(PostgresFault) {
            try connect()
            while !hasName, ContinuousClock.now < end {
                usleep(50_000)
                try takeName()
            }
        } catch {
            throw .cannotConnect("\(error)")
        }
        if !hasName { throw .nameInUse(name) }
    }

    mutating func close() { connection = nil }

    /// Sends news, and waits until there is something to do: news to send, a message that arrives, or a deadline.
    /// Returns what was heard.
    mutating func turn(
        sending news: [NodeNews], hasDropped: Bool, until signal: WakeSignal, _ isClosing: Bool
    ) -> [NodeEvent] {
        unsent += news
        if hasDropped { sent += 1 }
        do throws(PostgresFault) {
            var heard: [NodeEvent] = []
            if connection != nil, incarnation != shared.incarnation {
                throw .lost("PostgreSQL runs on another server now")
            }
            if connection == nil {
                if isClosing { return [] }
                guard waitForAttempt(signal) else { return [] }
                try connect()
                heard.append(.missed)
            }
            guard let connection else { return heard }
            if !hasName { try takeName() }
            try send(to: connection)
            try writeReport(to: connection, isClosing)
            if isClosing { return heard }
            if heard.isEmpty { try connection.waitForInput(or: signal.descriptor, atMost: untilBeat) }
            return heard + receive(try connection.takeNotifications())
        } catch {
            lost(error)
            return []
        }
    }

    // MARK: Connecting

    private mutating func connect() throws(PostgresFault) {
        incarnation = shared.incarnation
        let new = try PostgresConnection(
            shared.address, beginningWith: shared.firstHost, patience: shared.patience)
        if shared.isOutdated(try Cluster(new)) {
            shared.avoid(host: new.host)
            throw .lost("this server of PostgreSQL was replaced")
        }
        // The news are hints, so nobody waits until they are on disk.
        try new.execute("SET synchronous_commit = off; \(PostgresConnection.settings)")
        let row = try new.run("SELECT quote_ident(\(BusConnection.channel))").first
        guard let channel = row.map({ String(decoding: $0.bytes(0), as: UTF8.self) }) else {
            throw .lost("PostgreSQL returned no row")
        }
        try new.execute("LISTEN \(channel)")
        connection = new
        pause = BusConnection.shortestPause
        if neighbours.count > 0 { shared.onEvent(.bus(.lost(neighbours.count))) }
        neighbours.forgetAll()
        try takeName()
    }

    /// One channel for each schema, so that two stores in one database do not disturb each other.
    static let channel = "'caret.' || current_schema()"

    private mutating func takeName() throws(PostgresFault) {
        let row = try connection?.run(
            """
            SELECT CASE WHEN pg_try_advisory_lock(hashtext(\(BusConnection.channel)), $1::bigint::integer) THEN 1 ELSE 0 \
            END::bigint
            """, [.integer(shared.node)]
        ).first
        hasName = row?.integer(0) == 1
    }

    private mutating func lost(_ fault: PostgresFault) {
        if case .server = fault { shared.report(fault) }
        connection = nil
        hasName = false
        nextAttempt = .now + pause
        pause = min(pause * 2, BusConnection.longestPause)
    }

    /// Waits for the time of the next attempt to connect. Returns false if it was woken before.
    private func waitForAttempt(_ signal: WakeSignal) -> Bool {
        let left = Int32(clamping: (nextAttempt - .now).milliseconds)
        if left <= 0 { return true }
        var descriptor = pollfd(fd: signal.descriptor, events: Int16(POLLIN), revents: 0)
        return poll(&descriptor, 1, left) == 0
    }

    // MARK: Messages

    /// Sends the waiting news, or an empty message if nothing was sent for long.
    private mutating func send(to connection: PostgresConnection) throws(PostgresFault) {
        if unsent.isEmpty, untilBeat > 0 { return }
        var rest = unsent[...]
        repeat {
            let text = BusMessage.take(from: &rest, sender: sender, number: sent + 1)
            try connection.run("SELECT pg_notify(\(BusConnection.channel), $1)", [.text(text)])
            sent += 1
            unsent = Array(rest)
            shared.onEvent(.bus(.sent(1)))
        } while !rest.isEmpty
        sentLast = .now
    }

    private mutating func writeReport(
        to connection: PostgresConnection, _ isClosing: Bool
    ) throws(PostgresFault) {
        // Another server of the same name may have taken over the row.
        guard hasName else { return }
        let table = NodeTable(connection: connection, node: shared.node)
        if isClosing { return try table.leave() }
        if let report { try table.write(report) }
        report = nil
    }

    private var untilBeat: Int32 {
        Int32(clamping: Neighbours.beat - (ContinuousClock.now - sentLast).milliseconds)
    }

    private mutating func receive(_ texts: [String]) -> [NodeEvent] {
        let now = (ContinuousClock.now - BusConnection.start).milliseconds
        let known = neighbours.count
        var (events, heard): ([NodeEvent], Int) = ([], 0)
        for text in texts {
            guard let message = BusMessage(text), message.sender != sender else { continue }
            heard += 1
            events += neighbours.hear(message, at: now)
            if !message.news.isEmpty { events.append(.news(message.sender, message.news)) }
        }
        events += neighbours.forgetSilent(at: now)
        count(heard, events, known)
        return events
    }

    /// Counts what was heard. `known` is the number of the servers that were heard before.
    private func count(_ heard: Int, _ events: [NodeEvent], _ known: Int) {
        if heard > 0 { shared.onEvent(.bus(.heard(heard))) }
        for case .missed in events { shared.onEvent(.bus(.missed)) }
        let more = neighbours.count - known
        if more > 0 { shared.onEvent(.bus(.found(more))) }
        if more < 0 { shared.onEvent(.bus(.lost(-more))) }
    }

    /// Whether any other server is heard.
    var isHeard: Bool { neighbours.count > 0 }

    private static let start = ContinuousClock.now
}

extension Duration {
    fileprivate var milliseconds: Int64 {
        components.seconds * 1_000 + components.attoseconds / 1_000_000_000_000_000
    }
}

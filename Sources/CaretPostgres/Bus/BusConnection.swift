import CaretLog
import Glibc

/// The connection of a bus, which is made again after it was lost. It also holds the lock on the server's name.
struct BusConnection {
    private let shared: SharedState
    private var connection: PostgresConnection?
    private var incarnation = 0
    private var hasName = false
    private var nextAttempt = ContinuousClock.now
    private var pause = BusConnection.shortestPause

    private static let shortestPause = Duration.milliseconds(50)
    private static let longestPause = Duration.seconds(1)

    /// Connects, and takes the lock on the server's name. Another running server may have it.
    init(_ shared: SharedState, name: String) throws(PostgresOpeningFault) {
        self.shared = shared
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

    // MARK: Connecting

    /// Waits for the time of the next attempt to connect, if there is no connection, and makes it. Returns whether it
    /// was made. Returns false without an attempt if `signal` came before.
    mutating func connectAgain(unless signal: WakeSignal) throws(PostgresFault) -> Bool {
        if connection != nil, incarnation != shared.incarnation {
            throw .lost("PostgreSQL runs on another server now")
        }
        guard connection == nil, waitForAttempt(signal) else { return false }
        try connect()
        return true
    }

    var isConnected: Bool { connection != nil }

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
        hasName = try row?.integer(0) == 1
    }

    mutating func lost(_ fault: PostgresFault) {
        if case .server = fault { shared.report(fault) }
        connection = nil
        hasName = false
        nextAttempt = .now + pause
        pause = min(pause * 2, BusConnection.longestPause)
    }

    /// Waits for the time of the next attempt to connect. Returns false if it was woken before.
    private func waitForAttempt(_ signal: WakeSignal) -> Bool {
        let left = nextAttempt - .now
        if left <= .zero { return true }
        var descriptor = pollfd(fd: signal.descriptor, events: Int16(POLLIN), revents: 0)
        return poll(&descriptor, 1, Int32(left / .milliseconds(1))) == 0
    }

    // MARK: Messages

    /// Sends messages together, in one transaction.
    func send(_ messages: [String]) throws(PostgresFault) {
        if messages.isEmpty { return }
        try connection?.run(
            "SELECT pg_notify(\(BusConnection.channel), message) FROM unnest($1) AS message",
            [.texts(messages)])
        shared.onEvent(.bus(.sent(messages.count)))
    }

    /// Writes what this server says of itself, or that it has stopped.
    mutating func write(_ report: NodeReport?, isClosing: Bool) throws(PostgresFault) {
        if !hasName { try takeName() }
        // Another server of the same name may have taken over the row.
        guard hasName, let connection else { return }
        let table = NodeTable(connection: connection, node: shared.node)
        if isClosing { return try table.leave() }
        if let report { shared.noteStandbys(try table.write(report)) }
    }

    /// Waits for messages, at most this long or until `signal` comes, and returns those that have arrived.
    func receive(until signal: WakeSignal, atMost milliseconds: Int64) throws(PostgresFault) -> [String] {
        guard let connection else { return [] }
        try connection.waitForInput(or: signal.descriptor, atMost: Int32(clamping: milliseconds))
        return try connection.takeNotifications()
    }
}

import CaretFormat
import CaretLog
import Glibc

/// The connection of a bus, which is made again after it was lost. It also holds the lock on the server's name.
struct BusConnection {
    private let shared: SharedState
    private let name: String
    private var connection: PostgresConnection?
    private var incarnation = 0
    private var hasName = false
    /// The process of PostgreSQL that serves the connection.
    private var process: Int64 = 0
    /// When this server stops waiting for its name.
    private var waitsForNameUntil: ContinuousClock.Instant
    /// Nil while there is a connection.
    private var outage: Outage?

    /// Connects, and takes the lock on the server's name. Another running server may have it.
    init(_ shared: SharedState, name: String) throws(PostgresOpeningFault) {
        (self.shared, self.name) = (shared, name)
        waitsForNameUntil = BusConnection.endOfWait(shared)
        do throws(PostgresFault) {
            try connect()
            while !hasName, .now < waitsForNameUntil {
                usleep(50_000)
                hasName = try takesLock(of: shared.node)
            }
        } catch {
            throw PostgresOpeningFault(error)
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
        try PoolerSign.check(new, shared.address, patience: shared.patience)
        process = try new.process()
        try new.execute(PostgresConnection.settings)
        try BusConnection.listen("(\(BusConnection.channel))", new)
        try BusConnection.listen(BusConnection.channel(of: "\(shared.node)"), new)
        connection = new
        outage = nil
        hasName = try takesLock(of: shared.node)
        waitsForNameUntil = BusConnection.endOfWait(shared)
    }

    /// Makes the transaction of a statement wait for no disk and no standby. Notifications are hints, and reports are repeated.
    static let withoutWaiting = "(SELECT set_config('synchronous_commit', 'off', true))"

    private static func listen(_ channel: String, _ connection: PostgresConnection) throws(PostgresFault) {
        let row = try connection.run("SELECT quote_ident(\(channel))").first
        guard let name = row.map({ String(decoding: $0.bytes(0), as: UTF8.self) }) else {
            throw .lost("PostgreSQL returned no row")
        }
        try connection.execute("LISTEN \(name)")
    }

    /// The channel to all servers. There is one for each schema, so that two stores in one database do not disturb each
    /// other.
    static let channel = "'caret.' || current_schema()"

    /// The channel to the server with this number. The name of a schema would be too long for it.
    private static func channel(of node: String) -> String {
        "('caret.' || md5(current_schema()) || '.' || \(node))"
    }

    /// The lock of a server that was killed, and of a connection that was cut, lasts until PostgreSQL has noticed the end.
    private static func endOfWait(_ shared: SharedState) -> ContinuousClock.Instant {
        .now + .milliseconds(Int64(shared.patience) * 4 / 5)
    }

    /// Takes the lock on the name with this number, and returns whether no other server has it.
    private func takesLock(of node: Int64) throws(PostgresFault) -> Bool {
        let row = try connection?.run(
            """
            SELECT CASE WHEN pg_try_advisory_lock(hashtext(\(BusConnection.channel)), $1::bigint::integer) THEN 1 ELSE 0 \
            END::bigint
            """, [.integer(node)]
        ).first
        return try row?.integer(0) == 1
    }

    /// The number of suffixes that this server tries if another one has its name.
    private static let otherNames = 2...9

    /// While this server could not reach PostgreSQL, another one has taken its name. Two servers that count their commits
    /// together would hide from each other that some were lost, so this one goes on under the next free name.
    private mutating func takeOtherName(_ connection: PostgresConnection) throws(PostgresFault) {
        for suffix in BusConnection.otherNames {
            let other = "\(name)~\(suffix)"
            let number = try NodeTable.number(of: other, connection)
            if try takesLock(of: number) {
                hasName = true
                try BusConnection.listen(BusConnection.channel(of: "\(number)"), connection)
                incarnation = shared.become(number)
                return shared.onEvent(.nameLost(name, now: other))
            }
        }
        throw .lost(
            "other servers have the name \(name), and all names up to \(name)~\(BusConnection.otherNames.upperBound)"
        )
    }

    mutating func lost(_ fault: PostgresFault) {
        if case .server = fault { shared.report(fault) }
        connection = nil
        hasName = false
        var current = outage ?? Outage(since: .now, patience: .milliseconds(Int64(shared.patience)))
        current.attemptFailed(at: .now)
        outage = current
    }

    /// Waits for the time of the next attempt to connect. Returns false if it was woken before.
    private func waitForAttempt(_ signal: WakeSignal) -> Bool {
        guard let left = outage.map({ $0.nextAttempt - .now }), left > .zero else { return true }
        var descriptor = pollfd(fd: signal.descriptor, events: Int16(POLLIN), revents: 0)
        return poll(&descriptor, 1, Int32(left / .milliseconds(1))) == 0
    }

    // MARK: Messages

    /// Sends messages together, in one transaction.
    func send(_ letters: [BusLetter]) throws(PostgresFault) {
        if letters.isEmpty { return }
        try connection?.run(
            """
            SELECT pg_notify(
                CASE node WHEN 0 THEN \(BusConnection.channel) ELSE \(BusConnection.channel(of: "node")) END, message),
                \(BusConnection.withoutWaiting)
            FROM unnest($1, $2) AS letter(node, message)
            """, [.integers(letters.map { $0.recipient ?? 0 }), .texts(letters.map(\.text))])
    }

    /// Writes what this server says of itself, or that it has stopped.
    mutating func write(_ report: NodeReport?, isClosing: Bool) throws(PostgresFault) {
        guard let connection else { return }
        if !hasName { hasName = try takesLock(of: shared.node) }
        if !hasName, !isClosing, waitsForNameUntil < .now { try takeOtherName(connection) }
        // Another server may have the row.
        if !hasName { return }
        let table = NodeTable(connection: connection, node: shared.node)
        if isClosing { return try table.leave() }
        let asked = shared.clock.machineTime
        guard let report, let answer = try table.write(report) else { return }
        if try connection.process() != process {
            // The other connections need no statement of their own for this check, because they are made again.
            shared.renewConnections()
            throw .pooled("the process of a connection has changed")
        }
        shared.noteStandbys(answer.standbys)
        shared.noteTime(answer.time, askedAt: asked)
    }

    /// Waits for messages, at most this long or until `signal` comes, and returns those that have arrived.
    func receive(until signal: WakeSignal, atMost milliseconds: Int64) throws(PostgresFault) -> [String] {
        guard let connection else { return [] }
        try connection.waitForInput(or: signal.descriptor, atMost: Int32(clamping: milliseconds))
        return try connection.takeNotifications()
    }
}

import CaretFormat
import CaretLog
import Glibc

/// A connection that is made again after it was lost, and that believes nothing before a commit of its own.
///
/// PostgreSQL shows a commit whose client has cancelled the wait for the standbys, although no standby may have it.
/// A later commit of the same server is confirmed only after the standbys have both. So each new connection commits
/// something before it reads.
///
/// Use it only on its thread or queue.
package final class Lane {
    /// What a connection is used for. The raw value is its number in the table `lane`, where earlier versions have used
    /// others, too.
    enum Use: Int64 {
        case evenAppends = 1
        case oddAppends = 2
        case writes = 3
        case reads = 5

        var writes: Bool {
            switch self {
            case .evenAppends, .oddAppends, .writes: true
            case .reads: false
            }
        }
    }

    let shared: SharedState
    let use: Use
    private var connection: PostgresConnection?
    /// Nil before the first connection.
    private var incarnation: Int?
    /// The number of the server under which this lane counts its commits.
    private(set) var node: Int64
    /// How many commits of this lane PostgreSQL has confirmed; nil before the first connection, and under another number
    /// of the server.
    private var commits: Int64?
    /// Nil if no attempt to connect has failed since the last connection.
    private var outage: Outage?
    private var hasReportedLoss = false
    /// During a transaction, all statements use its connection, even if it is broken.
    private var isInTransaction = false
    /// Authors whose rows are committed, as this connection knows them. The next one may be to an older copy.
    var authors = AuthorCache()

    init(_ use: Use, _ shared: SharedState) {
        self.use = use
        self.shared = shared
        node = shared.node
    }

    /// Runs `body` with a connection that works. If there is none, waits for one. If PostgreSQL has been away for
    /// long, throws at once, and tries to connect once a second.
    func run<Answer>(
        _ body: (PostgresConnection) throws(PostgresFault) -> Answer
    ) throws(PostgresFault) -> Answer {
        let connection = try connected()
        do throws(PostgresFault) {
            return try body(connection)
        } catch {
            if error.endsConnection {
                if connection.hasTimedOut { shared.avoid(host: connection.host, seenIn: incarnation) }
                drop("\(error)")
            }
            throw error
        }
    }

    /// Runs one statement in a transaction of its own.
    @discardableResult
    func run(_ sql: String, _ values: PostgresValue...) throws(PostgresFault) -> PostgresResult {
        try run(sql, values)
    }

    @discardableResult
    package func run(_ sql: String, _ values: [PostgresValue]) throws(PostgresFault) -> PostgresResult {
        try run { connection throws(PostgresFault) in try connection.run(sql, values) }
    }

    /// Runs `body` in a transaction. Then commits it, unless `body` has done so. If `body` throws, rolls it back.
    func transaction<Answer>(
        _ body: (PostgresConnection) throws(PostgresFault) -> Answer
    ) throws(PostgresFault) -> Answer {
        try transaction("BEGIN ISOLATION LEVEL READ COMMITTED", body) { connection throws(PostgresFault) in
            try connection.commit()
            if let warning = connection.takeWarning() { throw .notReplicated(warning) }
        }
    }

    /// Runs `body` on one snapshot of the database.
    package func reading<Answer>(
        _ body: () throws(PostgresFault) -> Answer
    ) throws(PostgresFault) -> Answer {
        try transaction("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY") { _ throws(PostgresFault) in
            try body()
        } end: { connection throws(PostgresFault) in
            if let warning = connection.takeWarning() { throw .notReplicated(warning) }
            try connection.endReading()
        }
    }

    private func transaction<Answer>(
        _ begin: String, _ body: (PostgresConnection) throws(PostgresFault) -> Answer,
        end: (PostgresConnection) throws(PostgresFault) -> Void
    ) throws(PostgresFault) -> Answer {
        try run { connection throws(PostgresFault) in
            isInTransaction = true
            defer { isInTransaction = false }
            connection.begin(begin)
            let answer: Answer
            do throws(PostgresFault) {
                answer = try body(connection)
            } catch {
                connection.rollBack()
                throw error
            }
            try end(connection)
            return answer
        }
    }

    /// Commits something. Then the standbys have all that this connection has read, also a commit of another server that
    /// did not wait for them to the end.
    func waitForReplication() throws(PostgresFault) {
        if shared.allowsUnreplicated { return }
        let commits = try run { connection throws(PostgresFault) in
            let row = try connection.runCommitting(
                """
                UPDATE lane SET commits = commits + 1 WHERE node = $1 AND lane = $2
                RETURNING commits, \(PostgresConnection.durably)
                """,
                [.integer(node), .integer(use.rawValue)]
            ).first
            if let warning = connection.takeWarning() { throw .notReplicated(warning) }
            return try row?.integer(0)
        }
        if let commits { committed(commits) }
    }

    /// Waits until earlier commits of unknown outcome have ended: they hold the locks of their rows until then. A connection
    /// that only reads does not wait, and throws.
    func waitForOutcomes(of documents: some Sequence<DocumentID>) throws(PostgresFault) {
        let undecided = shared.undecided(of: documents)
        if undecided.isEmpty { return }
        // A commit that waits for replication holds its lock for as long as it waits. Other reads do not wait for that: the
        // call is refused, and tried again after a pause.
        let wait = use.writes ? "" : " NOWAIT"
        try transaction { connection throws(PostgresFault) in
            _ = try connection.run(
                "SELECT id FROM document WHERE id = ANY($1) ORDER BY id FOR NO KEY UPDATE\(wait)",
                [.integers(undecided.keys.map(\.value))])
        }
        shared.decided(undecided)
    }

    /// Finds out which earlier commits of unknown outcome have ended, without waiting. Returns the documents of the others.
    func undecided(of documents: some Sequence<DocumentID>) throws(PostgresFault) -> Set<DocumentID> {
        let undecided = shared.undecided(of: documents)
        if undecided.isEmpty { return [] }
        let locked = try transaction { connection throws(PostgresFault) in
            try connection.run(
                """
                SELECT id FROM document WHERE id = ANY($1) AND id NOT IN (SELECT id FROM
                    (SELECT id FROM document WHERE id = ANY($1) FOR NO KEY UPDATE SKIP LOCKED) AS decided)
                """, [.integers(undecided.keys.map(\.value))]
            ).rows.map { row throws(PostgresFault) in DocumentID(try row.integer(0)) }
        }
        shared.decided(undecided.filter { !locked.contains($0.key) })
        return Set(locked)
    }

    func close() { connection = nil }

    // MARK: Connecting

    private func connected() throws(PostgresFault) -> PostgresConnection {
        if isInTransaction {
            // Another connection has not seen the beginning of the transaction.
            guard let connection else { throw .lost("the connection was lost during a transaction") }
            return connection
        }
        if let connection, incarnation == shared.incarnation, !connection.isClosed { return connection }
        // The connection was closed while nobody used it, or another connection has found another server, and this one may
        // be to a server that was replaced. That is a loss only if there is no new connection.
        connection = nil
        while true {
            if let outage, outage.isLong(at: .now), outage.nextAttempt > .now {
                throw .away("PostgreSQL has been away for over \(shared.patience) ms")
            }
            if let outage { pause(until: outage.nextAttempt) }
            let began = ContinuousClock.now
            do throws(PostgresFault) {
                return try connect()
            } catch {
                attemptFailed(error, since: began)
                if let outage, outage.isLong(at: .now) || shared.isClosing { throw .away("\(error)") }
            }
        }
    }

    private func connect() throws(PostgresFault) -> PostgresConnection {
        let isFirst = incarnation == nil
        let new = try PostgresConnection(
            shared.address, beginningWith: shared.firstHost, patience: shared.patience,
            requiresStandbys: !shared.allowsUnreplicated)
        do throws(PostgresFault) {
            try PoolerSign.check(new, shared.address, patience: shared.patience)
            try new.execute(Lane.settings)
            try requireStandby(new)
            try waitForReplication(on: new)
        } catch {
            // A primary without its standbys confirms nothing, and one of them may have taken over.
            shared.avoid(host: new.host)
            throw error
        }
        shared.prefer(host: new.host)
        _ = new.takeWarning()
        connection = new
        authors = AuthorCache()
        outage = nil
        if hasReportedLoss || !isFirst { shared.onEvent(.reconnected) }
        hasReportedLoss = false
        return new
    }

    /// The settings of each connection. No ack depends on them. A process that is stopped in a transaction loses its locks
    /// after a second. Other calls of a lane wait behind one that waits for a lock, so it is tried again later; see
    /// `LockPatience`.
    private static let settings = """
        SET plan_cache_mode = force_generic_plan; SET lock_timeout = \(LockPatience.statement);
        SET idle_in_transaction_session_timeout = '1s'; SET default_transaction_isolation = 'read committed';
        \(PostgresConnection.settings)
        """

    /// A server that took over may have no list of standbys. Then a commit there would not be as safe as an ack
    /// promises, so nothing is written.
    private func requireStandby(_ new: PostgresConnection) throws(PostgresFault) {
        if shared.allowsUnreplicated || !use.writes { return }
        let list = try new.run(PostgresConnection.standbys).first?.text(0) ?? ""
        shared.noteStandbys(list)
        if list.isEmpty { throw .lost("\(PostgresOpeningFault.notReplicated)") }
    }

    /// Commits something, so that the standbys have what the server shows. Finds out whether the server has lost commits
    /// that it has confirmed to this lane.
    private func waitForReplication(on new: PostgresConnection) throws(PostgresFault) {
        let cluster = try Cluster(new)
        let before = shared.incarnation
        if node != shared.node { (node, commits) = (shared.node, nil) }
        let row = try new.run(
            """
            INSERT INTO lane (node, lane, commits) VALUES ($1, $2, 1)
            ON CONFLICT (node, lane) DO UPDATE SET commits = lane.commits + 1
            RETURNING commits, \(PostgresConnection.durably)
            """, [.integer(node), .integer(use.rawValue)]
        ).first
        if let warning = new.takeWarning() { throw .lost(warning) }
        guard let found = try row?.integer(0) else {
            throw .lost("PostgreSQL returned no row of an insertion")
        }
        if let known = commits, found <= known {
            try renewEpochs(new, .behind(commits: found, known: known))
        }
        commits = found
        // This lane has seen its own commits there, so it vouches for a server that took over.
        if shared.cluster != cluster {
            try new.run(
                """
                UPDATE store SET cluster = $1, timeline = $2, place = $3 RETURNING \(PostgresConnection.durably)
                """, cluster.values)
        }
        // If the server has another name since the beginning, this connection is not used again.
        let noted = shared.note(cluster)
        incarnation = noted.isOther && noted.incarnation == before + 1 ? noted.incarnation : before
    }

    /// Renews the epochs of all documents, unless another server has done it already.
    func renewEpochs(
        _ connection: PostgresConnection, _ reason: PostgresEvent.Renewal
    ) throws(PostgresFault) {
        let new = UInt64.random(in: .min ... .max)
        let row = try connection.run(
            """
            WITH renewed AS (UPDATE store SET generation = $1 WHERE generation = $2 RETURNING generation)
            SELECT coalesce((SELECT generation FROM renewed), (SELECT generation FROM store)),
                \(PostgresConnection.durably)
            """,
            [
                .integer(Int64(bitPattern: new)),
                .integer(Int64(bitPattern: shared.generation.value)),
            ]
        ).first
        guard let value = try row?.integer(0) else { throw .lost("the row of the store is missing") }
        shared.renewed(to: UInt64(bitPattern: value), reason)
    }

    /// Records that the server has confirmed a commit of this lane.
    func committed(_ number: Int64) { commits = max(commits ?? 0, number) }

    // MARK: Losing

    private func drop(_ reason: String) {
        connection = nil
        reportLoss(reason)
    }

    private func attemptFailed(_ fault: PostgresFault, since began: ContinuousClock.Instant) {
        reportLoss("\(fault)")
        var current = outage ?? Outage(since: began, patience: .milliseconds(Int64(shared.patience)))
        current.attemptFailed(at: .now)
        outage = current
    }

    /// Reports the first loss since the lane was connected.
    private func reportLoss(_ reason: String) {
        if !hasReportedLoss { shared.onEvent(.lost(reason)) }
        hasReportedLoss = true
    }

    private func pause(until moment: ContinuousClock.Instant) {
        let left = moment - .now
        if left > .zero { sleep(for: left) }
    }
}

/// Blocks the thread. Lanes have threads and queues of their own, so nobody else waits.
private func sleep(for duration: Duration) {
    let (seconds, attoseconds) = duration.components
    var time = timespec(tv_sec: Int(seconds), tv_nsec: Int(attoseconds / 1_000_000_000))
    nanosleep(&time, nil)
}

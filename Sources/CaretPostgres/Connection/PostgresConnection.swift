import CPostgres
import Glibc

/// One connection to PostgreSQL, through libpq. It waits for answers itself, so that no call waits longer than its
/// time limit.
///
/// Use it only on the thread or queue of its owner. After `lost`, every call fails.
package final class PostgresConnection {
    private let connection: OpaquePointer
    /// The names of the prepared statements, by their SQL.
    private var prepared: [String: String] = [:]
    private let notices = Notices()
    /// Why the connection was given up; nil while it works.
    private var loss: String?
    /// How long a call waits for its answer, in milliseconds.
    private let patience: Int32
    /// Whether a commit counts only if the server has a list of synchronous standbys after it.
    private let requiresStandbys: Bool
    /// The index of the host in the address.
    let host: Int
    /// Whether the connection was given up because no answer came in time.
    private(set) var hasTimedOut = false
    /// What begins the transaction; nil if it was sent.
    private var unsentBegin: String?
    /// Whether the end of a transaction was sent, and its answer was not read yet.
    private var isEnding = false

    private typealias Statement = (sql: String, values: [PostgresValue])

    /// With these settings, PostgreSQL notices within seconds that this process is gone, even if no packet says so, for
    /// example after a power cut. Until then, the lock on the name of this server lasts.
    static let settings = """
        SET tcp_keepalives_idle = 2; SET tcp_keepalives_interval = 1; SET tcp_keepalives_count = 3;
        SET tcp_user_timeout = 5000; SET client_min_messages = warning
        """

    /// Connects to a host that accepts writes, and tries the host with the index `first` first. Waits as long as the
    /// address allows.
    init(
        _ address: PostgresAddress, beginningWith first: Int, patience: Int32, requiresStandbys: Bool = false
    ) throws(PostgresFault) {
        (self.patience, self.requiresStandbys) = (patience, requiresStandbys)
        let parameters = address.parameters(beginningWith: first)
        var keywords = parameters.map { strdup($0.keyword) } + [nil]
        var values = parameters.map { strdup($0.value) } + [nil]
        defer { for pointer in keywords + values { free(pointer) } }
        let connection = keywords.withUnsafeMutableBufferPointer { keywords in
            values.withUnsafeMutableBufferPointer { values in
                keywords.withMemoryRebound(to: UnsafePointer<CChar>?.self) { keywords in
                    values.withMemoryRebound(to: UnsafePointer<CChar>?.self) { values in
                        // 1: the value of `dbname` may be a whole connection string.
                        PQconnectdbParams(keywords.baseAddress, values.baseAddress, 1)
                    }
                }
            }
        }
        guard let connection else { throw .away("there is no memory for a connection") }
        self.connection = connection
        let (name, port) = (PQhost(connection), PQport(connection))
        host =
            address.index(
                of: name.map { String(cString: $0) } ?? "", port: port.map { String(cString: $0) } ?? "") ?? 0
        guard PQstatus(connection) == CONNECTION_OK else {
            // The end of this object closes the connection.
            throw .away(String(cString: PQerrorMessage(connection)).firstLine)
        }
        PQsetnonblocking(connection, 1)
        notices.receive(from: connection)
    }

    deinit { PQfinish(connection) }

    /// Whether the server has closed the connection while it was idle. Sends nothing: it only asks the system.
    var isClosed: Bool {
        var descriptor = pollfd(fd: PQsocket(connection), events: Int16(POLLIN), revents: 0)
        // A server that closes a connection says so first. Then comes the end.
        while loss == nil, poll(&descriptor, 1, 0) > 0 {
            if PQconsumeInput(connection) != 1 { return true }
        }
        return loss != nil
    }

    /// Runs one statement, and returns its answer.
    @discardableResult
    package func run(_ sql: String, _ values: [PostgresValue] = []) throws(PostgresFault) -> PostgresResult {
        try run([(sql, values)])[0]
    }

    /// Runs one statement that commits by itself.
    func runCommitting(_ sql: String, _ values: [PostgresValue]) throws(PostgresFault) -> PostgresResult {
        try run([(sql, values)], commits: true)[0]
    }

    /// Sends one statement and `COMMIT` together, which saves a round trip while the transaction holds its locks. If the
    /// statement fails, nothing is committed.
    func runAndCommit(_ sql: String, _ values: [PostgresValue]) throws(PostgresFault) -> PostgresResult {
        try run([(sql, values), ("COMMIT", [])], commits: true)[0]
    }

    /// Sends statements together, and returns their answers. If a transaction shall begin, sends its begin with them.
    ///
    /// With `commits`, the last statement commits. With `requiresStandbys`, the list of standbys is read after it, because
    /// a commit stops waiting, without a warning, if an administrator empties the list. PostgreSQL reads its settings
    /// again before each statement.
    private func run(
        _ asked: [Statement], commits: Bool = false
    ) throws(PostgresFault) -> [PostgresResult] {
        if let loss { throw .lost(loss) }
        let deadline = Deadline(milliseconds: patience)
        try finishReading(by: deadline)
        let begin = unsentBegin.take().map { [Statement($0, [])] } ?? []
        var prepared: [(name: String, values: [PostgresValue])] = []
        for one in begin + asked {
            prepared.append((try statement(one.sql, one.values, by: deadline), one.values))
        }
        let looks = commits && requiresStandbys
        let look = looks ? try statement(PostgresConnection.standbys, [], by: deadline) : nil
        if prepared.count == 1, look == nil {
            try send(prepared[0].name, prepared[0].values)
            return [try answer(by: deadline)]
        }
        guard PQenterPipelineMode(connection) == 1 else { throw lose(errorMessage) }
        for one in prepared { try send(one.name, one.values) }
        try sync()
        if let look {
            try send(look, [])
            try sync()
        }
        // All answers must be read, even if the first one is an error.
        let results = try answers(to: prepared.count, by: deadline)
        let list = look == nil ? nil : try answers(to: 1, by: deadline)[0]
        guard PQexitPipelineMode(connection) == 1 else { throw lose(errorMessage) }
        var found: [PostgresResult] = []
        for result in results { found.append(try result.get()) }
        if let list, try list.get().first?.text(0) == "" {
            notices.add("PostgreSQL has no list of synchronous standbys any more")
        }
        return Array(found.dropFirst(begin.count))
    }

    /// Asks for the list of synchronous standbys.
    static let standbys = "SELECT current_setting('synchronous_standby_names')"

    private func sync() throws(PostgresFault) {
        guard PQpipelineSync(connection) == 1 else { throw lose(errorMessage) }
    }

    /// The answers to the next statements of the pipeline, up to its next `sync`.
    private func answers(
        to count: Int, by deadline: Deadline
    ) throws(PostgresFault) -> [Result<PostgresResult, PostgresFault>] {
        let answers = (0..<count).map { _ in
            Result { () throws(PostgresFault) in try answer(by: deadline) }
        }
        if let loss { throw .lost(loss) }
        _ = try next(by: deadline)
        return answers
    }

    // MARK: Processes

    /// The process of PostgreSQL that serves the connection now. It prepares no statement, because a pooler that gives
    /// connections away might mix it up with others.
    func process() throws(PostgresFault) -> Int64 {
        let answer = try execute("SELECT pg_backend_pid()")
        guard let process = answer.first.flatMap({ Int64($0.text(0)) }) else {
            throw .lost("PostgreSQL does not tell its process")
        }
        return process
    }

    /// The process that PostgreSQL, or a pooler in front of it, has named when the connection was made.
    var namedProcess: Int64 { Int64(PQbackendPID(connection)) }

    // MARK: Transactions

    /// What an ack depends on, set inside the transaction that commits: the commit waits for the standbys, and a warning
    /// says if the wait was cancelled.
    static let durably =
        "(SELECT set_config('synchronous_commit', 'on', true) || set_config('client_min_messages', 'warning', true))"

    /// Begins a transaction, together with its first statement.
    func begin(_ sql: String) { unsentBegin = sql }

    /// Commits the transaction, unless it has ended or has no statement.
    func commit() throws(PostgresFault) {
        if isInTransaction {
            _ = try run([("SELECT \(PostgresConnection.durably)", []), ("COMMIT", [])], commits: true)
        }
        unsentBegin = nil
    }

    /// Ends a transaction that has only read, and does not wait for the answer. The next call reads it.
    func endReading() throws(PostgresFault) {
        if isInTransaction {
            guard PQsendQuery(connection, "COMMIT") == 1 else { throw lose(errorMessage) }
            try flush(by: Deadline(milliseconds: patience))
            isEnding = true
        }
        unsentBegin = nil
    }

    /// Rolls the transaction back. If this fails, the connection is lost, and PostgreSQL rolls back.
    func rollBack() {
        if isInTransaction { _ = try? execute("ROLLBACK") }
        unsentBegin = nil
    }

    private var isInTransaction: Bool {
        loss == nil && unsentBegin == nil && !isEnding && PQtransactionStatus(connection) != PQTRANS_IDLE
    }

    private func finishReading(by deadline: Deadline) throws(PostgresFault) {
        if !isEnding { return }
        isEnding = false
        _ = try answer(by: deadline)
    }

    /// Runs statements without parameters, and waits at most `timeout` milliseconds for all of them. Returns the last
    /// answer, whose columns are texts.
    @discardableResult
    func execute(_ sql: String, within timeout: Int32? = nil) throws(PostgresFault) -> PostgresResult {
        if let loss { throw .lost(loss) }
        let deadline = Deadline(milliseconds: timeout ?? patience)
        try finishReading(by: deadline)
        if let begin = unsentBegin.take() { try execute(begin) }
        guard PQsendQuery(connection, sql) == 1 else { throw lose(errorMessage) }
        return try answer(by: deadline)
    }

    /// Returns the last warning since the last call. After a commit, a warning means that it may not be replicated.
    func takeWarning() -> String? { notices.takeWarning() }

    // MARK: Notifications

    /// Waits until the server has sent something, or until `descriptor` can be read.
    func waitForInput(or descriptor: Int32, atMost milliseconds: Int32) throws(PostgresFault) {
        if let loss { throw .lost(loss) }
        var descriptors = [PQsocket(connection), descriptor].map {
            pollfd(fd: $0, events: Int16(POLLIN), revents: 0)
        }
        // An interrupted wait ends early, and the caller waits again.
        _ = poll(&descriptors, 2, max(0, milliseconds))
    }

    /// The messages of `NOTIFY` that have arrived.
    func takeNotifications() throws(PostgresFault) -> [String] {
        if let loss { throw .lost(loss) }
        guard PQconsumeInput(connection) == 1 else { throw lose(errorMessage) }
        var texts: [String] = []
        while let notification = PQnotifies(connection) {
            texts.append(String(cString: notification.pointee.extra))
            PQfreemem(notification)
        }
        return texts
    }

    // MARK: Sending

    /// The name of the prepared statement, which is prepared at its first use.
    private func statement(
        _ sql: String, _ values: [PostgresValue], by deadline: Deadline
    ) throws(PostgresFault) -> String {
        if let known = prepared[sql] { return known }
        let name = "s\(prepared.count)"
        let types = values.map(\.typeID)
        guard PQsendPrepare(connection, name, sql, Int32(types.count), types) == 1 else {
            throw lose(errorMessage)
        }
        _ = try answer(by: deadline)
        prepared[sql] = name
        return name
    }

    private func send(_ name: String, _ values: [PostgresValue]) throws(PostgresFault) {
        var bytes: [UInt8] = []
        var (starts, lengths): ([Int?], [Int32]) = ([], [])
        for value in values {
            let start = bytes.count
            starts.append(value.write(to: &bytes) ? start : nil)
            lengths.append(Int32(bytes.count - start))
        }
        // So that an empty value has an address, too.
        bytes.append(0)
        let binary = [Int32](repeating: 1, count: values.count)
        let isSent = bytes.withUnsafeBytes { buffer in
            let pointers = starts.map { start in
                start.map { buffer.baseAddress!.advanced(by: $0).assumingMemoryBound(to: CChar.self) }
            }
            return PQsendQueryPrepared(
                connection, name, Int32(values.count), pointers, lengths, binary, 1)
        }
        guard isSent == 1 else { throw lose(errorMessage) }
    }

    // MARK: Receiving

    /// The only result of what was sent, or the last one if there are several. Throws if one of them is an error.
    private func answer(by deadline: Deadline) throws(PostgresFault) -> PostgresResult {
        try flush(by: deadline)
        var (last, error): (PostgresResult?, ServerError?) = (nil, nil)
        while let result = try next(by: deadline) {
            last = result
            error = error ?? result.error
        }
        if let error {
            let fault = PostgresFault.server(error)
            // An error that ends the session leaves the outcome of a commit open.
            if PQstatus(connection) != CONNECTION_OK { throw lose("\(fault)") }
            throw fault
        }
        guard let last else { throw lose(errorMessage) }
        return last
    }

    private func flush(by deadline: Deadline) throws(PostgresFault) {
        while true {
            switch PQflush(connection) {
            case 0: return
            case 1: try wait(for: POLLIN | POLLOUT, by: deadline)
            default: throw lose(errorMessage)
            }
            // The server may send before it has read everything.
            guard PQconsumeInput(connection) == 1 else { throw lose(errorMessage) }
        }
    }

    private func next(by deadline: Deadline) throws(PostgresFault) -> PostgresResult? {
        while PQisBusy(connection) == 1 {
            try wait(for: POLLIN, by: deadline)
            guard PQconsumeInput(connection) == 1 else { throw lose(errorMessage) }
        }
        return PQgetResult(connection).map { PostgresResult($0) }
    }

    private func wait(for events: Int32, by deadline: Deadline) throws(PostgresFault) {
        var descriptor = pollfd(fd: PQsocket(connection), events: Int16(events), revents: 0)
        while true {
            let left = deadline.millisecondsLeft
            let found = left > 0 ? poll(&descriptor, 1, left) : 0
            if found > 0 { return }
            if found == 0 {
                hasTimedOut = true
                throw lose("PostgreSQL did not answer within \(deadline.milliseconds) ms")
            }
            if errno != EINTR { throw lose("poll failed: \(String(cString: strerror(errno)))") }
        }
    }

    private var errorMessage: String {
        let message = String(cString: PQerrorMessage(connection)).firstLine
        return message.isEmpty ? "the connection to PostgreSQL was closed" : message
    }

    private func lose(_ reason: String) -> PostgresFault {
        loss = reason
        return .lost(reason)
    }
}

/// Collects the warnings of a connection. libpq calls it on the thread that uses the connection.
private final class Notices {
    private var warning: String?

    func receive(from connection: OpaquePointer) {
        let context = Unmanaged.passUnretained(self).toOpaque()
        _ = PQsetNoticeReceiver(
            connection,
            { context, result in
                guard let context, let result else { return }
                Unmanaged<Notices>.fromOpaque(context).takeUnretainedValue().add(result)
            }, context)
    }

    private func add(_ result: OpaquePointer) {
        guard let severity = PQresultErrorField(result, caret_pg_severity()),
            String(cString: severity) == "WARNING"
        else { return }
        let message = PQresultErrorField(result, caret_pg_primary_message())
        add(message.map { String(cString: $0) } ?? "a warning without text")
    }

    func add(_ warning: String) { self.warning = warning }

    func takeWarning() -> String? { warning.take() }
}

/// The time by which an answer must come.
private struct Deadline {
    let milliseconds: Int32
    private let end: ContinuousClock.Instant

    init(milliseconds: Int32) {
        self.milliseconds = milliseconds
        end = .now + .milliseconds(milliseconds)
    }

    var millisecondsLeft: Int32 {
        let left = end - .now
        return Int32(
            clamping: left.components.seconds * 1000 + left.components.attoseconds / 1_000_000_000_000_000)
    }
}

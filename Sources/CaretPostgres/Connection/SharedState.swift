import CaretFormat
import CaretLog
import Synchronization

/// What all connections of a store share.
final class SharedState: Sendable {
    let address: PostgresAddress
    /// How long a call waits for an answer, and for a new connection, in milliseconds.
    let patience: Int32
    /// Whether a server without a synchronous standby is accepted.
    let allowsUnreplicated: Bool
    let generation: Generation
    let clock: StoreClock
    let onEvent: @Sendable (PostgresEvent) -> Void
    private let state: Mutex<State>
    private let closing = Atomic(false)

    private struct State {
        var node: Int64
        var cluster: Cluster
        /// Changes when another cluster or timeline was seen, and with `node`. Connections from before are no longer used.
        var incarnation = 0
        /// Documents with a commit of unknown outcome. The number tells one unknown outcome from the next.
        var undecided: [DocumentID: Int] = [:]
        var unknownOutcomes = 0
        /// Documents that were found damaged. The store appends nothing to a history that it cannot read.
        var damaged: Set<DocumentID> = []
        /// True if the epochs were created or renewed since this store was opened.
        var isFresh: Bool
        var isDiskFull = false
        /// True while PostgreSQL has no synchronous standby, but must have one.
        var isUnreplicated = false
        var firstHost: Int
    }

    init(
        _ address: PostgresAddress, patience: Int32, node: Int64, allowsUnreplicated: Bool,
        generation: Generation, clock: StoreClock, cluster: Cluster, isFresh: Bool, host: Int,
        onEvent: @escaping @Sendable (PostgresEvent) -> Void
    ) {
        self.address = address
        self.patience = patience
        self.allowsUnreplicated = allowsUnreplicated
        self.generation = generation
        self.clock = clock
        self.onEvent = onEvent
        state = Mutex(State(node: node, cluster: cluster, isFresh: isFresh, firstHost: host))
    }

    /// While the store is being closed, calls wait for no reconnection.
    var isClosing: Bool {
        get { closing.load(ordering: .relaxed) }
        set { closing.store(newValue, ordering: .relaxed) }
    }

    /// The number of this server in the table `node`.
    var node: Int64 { state.withLock { $0.node } }

    /// Another server has the name of this one, so this one goes on under another number. Connections from before are no
    /// longer used, because they count their commits under the old number.
    ///
    /// Returns the incarnation from now on.
    func become(_ node: Int64) -> Int {
        state.withLock { state in
            state.node = node
            state.incarnation += 1
            return state.incarnation
        }
    }

    /// A pooler has given a connection away. All connections are made again, and a new one is checked first.
    func renewConnections() { state.withLock { $0.incarnation += 1 } }

    // MARK: Hosts

    /// The index of the host that a new connection tries first.
    var firstHost: Int { state.withLock { $0.firstHost } }

    /// A connection to this host works.
    func prefer(host: Int) { state.withLock { $0.firstHost = host } }

    /// This host accepts writes, but does not confirm them, or it is on an older timeline. It may be a former primary,
    /// so new connections try the hosts after it first.
    func avoid(host: Int) { state.withLock { $0.firstHost = (host + 1) % address.hostCount } }

    /// A connection of this incarnation got no answer from this host. The others to it are not used any more: some of them
    /// may wait only for locks, which a former primary keeps for ever.
    func avoid(host: Int, seenIn incarnation: Int?) {
        avoid(host: host)
        state.withLock { if $0.incarnation == incarnation { $0.incarnation += 1 } }
    }

    // MARK: Clusters

    var incarnation: Int { state.withLock { $0.incarnation } }

    var cluster: Cluster { state.withLock { $0.cluster } }

    /// Whether this is an earlier timeline than the one of the last new connection.
    func isOutdated(_ cluster: Cluster) -> Bool {
        let last = self.cluster
        return cluster.identifier == last.identifier && cluster.timeline < last.timeline
    }

    /// Records the cluster of a new connection. Returns the incarnation that the connection belongs to, and
    /// whether the cluster differs from the one before.
    func note(_ cluster: Cluster) -> (incarnation: Int, isOther: Bool) {
        state.withLock { state in
            let isOther = state.cluster != cluster
            if isOther {
                state.cluster = cluster
                state.incarnation += 1
            }
            return (state.incarnation, isOther)
        }
    }

    // MARK: Epochs

    var isFresh: Bool { state.withLock { $0.isFresh } }

    /// Sets a new generation, which must already be committed.
    func renewed(to value: UInt64, _ reason: PostgresEvent.Renewal) {
        state.withLock { $0.isFresh = true }
        generation.renew(to: value)
        onEvent(.renewed(reason))
    }

    /// The database has this generation. Another server may have renewed it.
    func noteGeneration(_ found: UInt64) { if found != generation.value { generation.renew(to: found) } }

    // MARK: Documents

    func addUndecided(_ documents: some Sequence<DocumentID>) {
        onEvent(.outcomeUnknown)
        state.withLock { state in
            state.unknownOutcomes += 1
            for document in documents { state.undecided[document] = state.unknownOutcomes }
        }
    }

    /// Those of the documents that have a commit of unknown outcome.
    func undecided(of documents: some Sequence<DocumentID>) -> [DocumentID: Int] {
        state.withLock { state in
            if state.undecided.isEmpty { return [:] }
            var found: [DocumentID: Int] = [:]
            for document in documents { found[document] = state.undecided[document] }
            return found
        }
    }

    /// Drops documents whose commits are decided. A later unknown outcome stays.
    func decided(_ documents: [DocumentID: Int]) {
        state.withLock { state in
            for (document, number) in documents where state.undecided[document] == number {
                state.undecided[document] = nil
            }
        }
    }

    func isDamaged(_ document: DocumentID) -> Bool { state.withLock { $0.damaged.contains(document) } }

    /// Reports that a document is damaged. Until the store is opened again, it accepts no appends to it.
    func close(damaged document: DocumentID, _ fault: PostgresFault) {
        state.withLock { _ = $0.damaged.insert(document) }
        reportRow(fault)
        onEvent(.damaged(document))
    }

    // MARK: Faults

    /// Reports a fault of a write. Reports only the first of several faults that say that the disk is full.
    func report(_ fault: PostgresFault) {
        reportRow(fault)
        guard case .server(let error) = fault else { return }
        switch error.kind {
        case .full: setDiskFull(true)
        case .damaged: onEvent(.damaged(nil))
        case .failed: onEvent(.failed(error))
        case .passing: break
        }
    }

    func reportRow(_ fault: PostgresFault) {
        if case .damagedRow(let reason) = fault { onEvent(.damagedRow(reason)) }
    }

    /// PostgreSQL has shown this time after it was asked at `asked`, by the clock of this machine.
    func noteTime(_ time: Int64, askedAt asked: Int64) {
        if let ahead = clock.compare(time, askedAt: asked) { onEvent(.clockDiffers(ahead: ahead)) }
    }

    /// PostgreSQL has this list of synchronous standbys, which must not be empty.
    func noteStandbys(_ list: String) {
        if allowsUnreplicated { return }
        let isUnreplicated = list.isEmpty
        let hasChanged = state.withLock { state in
            defer { state.isUnreplicated = isUnreplicated }
            return state.isUnreplicated != isUnreplicated
        }
        if hasChanged { onEvent(.unreplicated(isUnreplicated)) }
    }

    func setDiskFull(_ isFull: Bool) {
        let hasChanged = state.withLock { state in
            defer { state.isDiskFull = isFull }
            return state.isDiskFull != isFull
        }
        if hasChanged { onEvent(.full(isFull)) }
    }
}

/// A database cluster of PostgreSQL, the timeline that it is on, and the place of the store in it. A restored or promoted
/// copy is on another timeline, and tables that were made from a dump are at another place.
struct Cluster: Equatable {
    let identifier: Int64
    let timeline: Int64
    let place: Int64

    /// The identifier and the object ids are the same in a cluster and its standbys. The file names of the log begin with
    /// the timeline.
    private static let sql = """
        SELECT system_identifier::bigint, ('x' || substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8))::bit(32)::bigint,
            ((SELECT oid FROM pg_database WHERE datname = current_database())::bigint << 32)
                | 'store'::regclass::oid::bigint
        FROM pg_control_system()
        """

    init(_ connection: PostgresConnection) throws(PostgresFault) {
        guard let row = try connection.run(Cluster.sql).first else {
            throw .lost("PostgreSQL does not name its cluster")
        }
        (identifier, timeline, place) = (try row.integer(0), try row.integer(1), try row.integer(2))
    }

    var values: [PostgresValue] { [.integer(identifier), .integer(timeline), .integer(place)] }
}

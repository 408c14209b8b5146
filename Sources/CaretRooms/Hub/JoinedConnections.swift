import CaretCore
import CaretLog
import CaretWire

/// The connections that have joined and not left, in the order of joining.
package struct JoinedConnections: Equatable, Sendable {
    enum Stage: Equatable, Sendable {
        /// The connection waits until older connections of the same user and client have ended.
        case waiting
        case present
        /// The connection was asked to end. Its further requests are dropped.
        case dismissed
        /// The connection has left, and some of its sessions have not ended yet.
        case leaving
    }

    struct JoinedConnection: Equatable, Sendable {
        let pusher: Pusher
        /// What other servers call the pusher; nil if there are none.
        let publicPusher: PublicPusher?
        var identity: Identity
        /// When the token becomes invalid. Nil if it has no end, or is invalid already.
        var end: Int64?
        /// False once the token is invalid.
        var isSignedIn = true
        /// The user or the address that this connection is counted for. Nil if their number is not limited.
        let holder: Holder?
        let unit: CodeUnit
        let peer: WireString?
        /// When the connection joined, in milliseconds.
        let since: Int64
        var stage = Stage.waiting
        /// The connection's sessions, in the order of opening.
        var sessions: [SessionID] = []
        /// The document to which the connection last sent a push without having opened it.
        var pushedTo: DocumentID?
    }

    private var connectionsByID: [ConnectionID: JoinedConnection] = [:]
    /// The connections of each user and client, the newest last. The older ones were asked to end.
    private var connectionsByPusher: [Pusher: [ConnectionID]] = [:]
    /// The pushers that have connections here, by what other servers call them.
    private var pushers: [PublicPusher: Pusher] = [:]
    /// The number of connections of each user and of each guests' address. A connection is counted until its sessions
    /// have ended.
    private var counts: [Holder: Int] = [:]
    /// When the next credential ends by each clock; missing if no connection has a credential with an end by that
    /// clock. It may be too early: the connection with that credential may have left.
    private(set) var nextEnds: [EndClock: Int64] = [:]

    var isEmpty: Bool { connectionsByID.isEmpty }
    package var connections: [ConnectionID] { connectionsByID.keys.sorted() }

    subscript(connection: ConnectionID) -> JoinedConnection? { connectionsByID[connection] }

    func isPresent(_ connection: ConnectionID) -> Bool { connectionsByID[connection]?.stage == .present }

    func isLeaving(_ connection: ConnectionID) -> Bool { connectionsByID[connection]?.stage == .leaving }

    /// Adds a connection. Returns the older connections of the same user and client, which it replaces.
    mutating func join(
        _ joining: JoinRequest, as publicPusher: PublicPusher?, at now: Int64
    ) -> [ConnectionID] {
        connectionsByID[joining.connection] = JoinedConnection(
            pusher: joining.pusher, publicPusher: publicPusher, identity: joining.identity,
            end: joining.identity.end, holder: Holder(joining.identity), unit: joining.unit,
            peer: joining.peer, since: now)
        noteEnd(of: joining.identity)
        if let holder = Holder(joining.identity) { counts[holder, default: 0] += 1 }
        if let publicPusher { pushers[publicPusher] = joining.pusher }
        let replaced = connectionsByPusher[joining.pusher, default: []].filter { dismiss($0) }
        connectionsByPusher[joining.pusher, default: []].append(joining.connection)
        return replaced
    }

    /// Marks a connection that must end. Returns false if the connection was marked before or has left.
    mutating func dismiss(_ connection: ConnectionID) -> Bool {
        switch connectionsByID[connection]?.stage {
        case .waiting, .present:
            connectionsByID[connection]?.stage = .dismissed
            return true
        case .dismissed, .leaving, nil: return false
        }
    }

    /// Admits the waiting connection of a user and client once it is the only one. Returns that
    /// connection.
    mutating func admitted(of pusher: Pusher) -> ConnectionID? {
        guard let ids = connectionsByPusher[pusher], ids.count == 1,
            connectionsByID[ids[0]]?.stage == .waiting
        else {
            return nil
        }
        connectionsByID[ids[0]]?.stage = .present
        return ids[0]
    }

    /// Marks a connection as leaving. Returns its sessions, or nil if it is unknown or has left before.
    mutating func leave(_ connection: ConnectionID) -> [SessionID]? {
        guard let joined = connectionsByID[connection], joined.stage != .leaving else { return nil }
        connectionsByID[connection]?.stage = .leaving
        return joined.sessions
    }

    /// Forgets a connection that has left, once all its sessions have ended. Returns its user and client.
    mutating func forget(_ connection: ConnectionID) -> Pusher? {
        guard let joined = connectionsByID[connection], joined.stage == .leaving, joined.sessions.isEmpty
        else { return nil }
        connectionsByID[connection] = nil
        if let holder = joined.holder, let count = counts[holder] {
            counts[holder] = count > 1 ? count - 1 : nil
        }
        let rest = connectionsByPusher[joined.pusher]?.filter { $0 != connection } ?? []
        connectionsByPusher[joined.pusher] = rest.isEmpty ? nil : rest
        if rest.isEmpty, let publicPusher = joined.publicPusher { pushers[publicPusher] = nil }
        return joined.pusher
    }

    mutating func began(_ session: SessionID) {
        connectionsByID[session.connection]?.sessions.append(session)
    }

    mutating func pushed(as connection: ConnectionID, to document: DocumentID) {
        connectionsByID[connection]?.pushedTo = document
    }

    mutating func ended(_ session: SessionID) {
        connectionsByID[session.connection]?.sessions.removeAll { $0 == session }
    }

    mutating func change(_ grants: Grants, of connection: ConnectionID) {
        connectionsByID[connection]?.identity.grants = grants
    }

    /// Replaces the token of a connection by another one of its user.
    mutating func change(_ identity: Identity, of connection: ConnectionID) {
        connectionsByID[connection]?.identity = identity
        connectionsByID[connection]?.end = identity.end
        noteEnd(of: identity)
    }

    /// The number of connections of the user or of the guest's address, without those that this one would replace. Nil
    /// if the number is not limited.
    func count(besides joining: JoinRequest) -> Int? {
        guard let holder = Holder(joining.identity) else { return nil }
        return counts[holder, default: 0] - connectionsByPusher[joining.pusher, default: []].count
    }

    private mutating func noteEnd(of identity: Identity) {
        guard let end = identity.end else { return }
        let clock = identity.credential.clock
        nextEnds[clock] = min(end, nextEnds[clock] ?? .max)
    }

    /// The token of a connection has become invalid.
    mutating func signOut(_ connection: ConnectionID) {
        connectionsByID[connection]?.isSignedIn = false
        connectionsByID[connection]?.end = nil
        connectionsByID[connection]?.identity.grants = .none
    }

    /// Returns the connections with credentials that have ended since the last call. `time` returns what a clock
    /// shows now.
    mutating func takeExpired(at time: (EndClock) -> Int64) -> [ConnectionID] {
        guard nextEnds.contains(where: { $0.value <= time($0.key) }) else { return [] }
        let expired = connections.filter { connection in
            guard let joined = connectionsByID[connection], let end = joined.end else { return false }
            return end <= time(joined.identity.credential.clock)
        }
        for connection in expired { connectionsByID[connection]?.end = nil }
        nextEnds = [:]
        for joined in connectionsByID.values where joined.end != nil { noteEnd(of: joined.identity) }
        return expired
    }

    /// The stored tokens of all connections that are present.
    var tokensInUse: Set<TokenID> {
        Set(
            connectionsByID.values.lazy.filter { $0.stage == .present }.compactMap(
                \.identity.credential.stored))
    }

    /// The connections of a pusher that joined before this time.
    func connections(of publicPusher: PublicPusher, before time: Int64) -> [ConnectionID] {
        guard let pusher = pushers[publicPusher] else { return [] }
        return connectionsByPusher[pusher, default: []].filter { connectionsByID[$0]?.since ?? .max < time }
    }

    /// The connections of a token.
    /// The tokens with which users whose names are in a range have joined.
    func tokens(of users: Range<ByteString>) -> Set<TokenID> {
        let found = connectionsByID.values.lazy.filter { users.contains($0.identity.user) }
        return Set(found.compactMap(\.identity.credential.stored))
    }

    func connections(with token: TokenID) -> [ConnectionID] {
        connections.filter { connectionsByID[$0]?.identity.credential.stored == token }
    }
}

/// A user or an address with a limited number of connections.
enum Holder: Hashable {
    case user(ByteString)
    case guests(ByteString)

    /// Nil if the number of connections is not limited.
    init?(_ identity: Identity) {
        switch identity.credential {
        case .unneeded, .guest(nil): return nil
        case .stored, .signed, .proxied: self = .user(identity.user)
        case .guest(let address?): self = .guests(address)
        }
    }
}

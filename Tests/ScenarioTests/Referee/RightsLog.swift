import CaretLog
import CaretRooms
import CaretWire

/// The rights of each client, now and in the past.
struct RightsLog {
    /// How long a server may still act on a removed right, in microseconds.
    private let slack: Int64

    private struct Entry {
        let since: Int64
        let access: Access
    }

    private var entries: [[[Entry]]]
    private var revoked: Set<Int> = []
    private var everRevoked: Set<Int> = []

    /// A server that is stopped for a while learns of removed rights only after that.
    init(clients: Int, hasStops: Bool) {
        slack = hasStops ? 3_500_000 : 1_500_000
        entries = (0..<clients).map { _ in Plan.names.map { _ in [Entry(since: .min, access: .admin)] } }
    }

    mutating func allow(_ client: Int, _ name: Int, _ access: Access, at now: Int64) {
        entries[client][name].append(Entry(since: now, access: access))
    }

    mutating func revoke(_ client: Int) {
        revoked.insert(client)
        everRevoked.insert(client)
    }
    mutating func reinstate(_ client: Int) { revoked.remove(client) }

    func wasRevoked(_ client: Int) -> Bool { everRevoked.contains(client) }

    func access(_ client: Int, _ name: Int) -> Access { entries[client][name].last?.access ?? .none }

    /// The highest access that a client had within the last `slack` microseconds.
    func mostAccess(_ client: Int, to document: WireString, at now: Int64) -> Access {
        guard let name = Names.documents.firstIndex(of: document), entries.indices.contains(client) else {
            return .admin
        }
        var most = Access.none
        for entry in entries[client][name].reversed() {
            most = max(most, entry.access)
            if entry.since < now - slack { break }
        }
        return most
    }

    func grants(of client: Int) -> Grants {
        let grants = Plan.names.indices.map {
            Grant(access(client, $0), to: .document(Names.parsed[$0]))
        }
        guard let grants = Grants(grants) else { preconditionFailure("a client has too many grants") }
        return grants
    }

    /// The identity of a token. A token is `token-` and the number of its client.
    func authentication(_ token: WireString?) -> Authentication {
        guard let client = token.flatMap({ Int($0.string.dropFirst(6)) }), entries.indices.contains(client)
        else {
            return .unknown
        }
        if revoked.contains(client) { return .unknown }
        return .known(
            Identity(
                user: Names.user(of: client), .stored(TokenID(Int64(client))), grants: grants(of: client)))
    }
}

/// Finds out whether a pooler gives a connection away between transactions or statements.
///
/// It needs no error: with prepared statements of its own, such a pooler may show none. A connection must keep its process
/// of PostgreSQL, and share it with nobody.
package struct PoolerSign: Equatable, Sendable {
    private var processes: [Connection: Int64] = [:]
    /// What shows that the pooler is not in session mode; nil if nothing does.
    package private(set) var reason: String?

    package enum Connection: Sendable {
        case one, other
    }

    package init() {}

    /// Notes the process that has served a statement of one of two open connections.
    package mutating func note(_ process: Int64, of connection: Connection) {
        if reason != nil { return }
        let before = processes.updateValue(process, forKey: connection)
        if let before, before != process {
            reason = "one connection had process \(before), and then \(process)"
        } else if processes[connection == .one ? .other : .one] == process {
            reason = "two connections share process \(process)"
        }
    }
}

extension PoolerSign {
    /// Other clients of a pooler may use its connections meanwhile, so one round could miss it.
    private static let rounds = 4

    /// Uses two connections in turns, also while one of them is in a transaction. Throws if a pooler gives them away.
    static func check(_ one: PostgresConnection, beside other: PostgresConnection) throws(PostgresFault) {
        var sign = PoolerSign()
        func look(at connection: Connection) throws(PostgresFault) {
            sign.note(try (connection == .one ? one : other).process(), of: connection)
            // A pooler with one connection would let the next statement wait for it.
            if let reason = sign.reason { throw .pooled(reason) }
        }
        for _ in 0..<rounds {
            try look(at: .one)
            try look(at: .other)
            try other.execute("BEGIN")
            try look(at: .other)
            try look(at: .one)
            try other.execute("COMMIT")
        }
    }

    /// Checks a new connection of a running server. If it is direct, it has the process that PostgreSQL has named when it
    /// began. A pooler names another one, so then a second connection is made, too.
    static func check(
        _ new: PostgresConnection, _ address: PostgresAddress, patience: Int32
    ) throws(PostgresFault) {
        if try new.process() == new.namedProcess { return }
        try check(new, beside: PostgresConnection(address, beginningWith: new.host, patience: patience))
    }
}

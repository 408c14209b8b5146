package import CaretLog

/// Reads and writes the sign-outs through one connection.
///
/// Use it only on the thread or queue of its connection.
struct SignOutTable<Connection: SQLConnection> {
    typealias Fault = Connection.Fault

    let connection: Connection
    private var dialect: SQLDialect { Connection.dialect }

    /// Throws if a row is damaged: the user that it signs out may be any.
    func page(after: Int64, limit: Int) throws(Fault) -> SignOutPage {
        // One row more shows whether there are more.
        let rows = try connection.every(
            """
            SELECT \(SignOut.columns(dialect)) FROM sign_out WHERE number > $1 ORDER BY number LIMIT $2
            """, .integer(after), .count(limit + 1)
        ) { row throws(DamagedRow) in
            (number: try row.integer(0), signOut: try SignOut(row, dialect))
        }
        let page = rows.prefix(limit)
        return SignOutPage(
            page.map(\.signOut), last: page.last?.number ?? after, hasMore: rows.count > limit)
    }

    /// Records a sign-out. Removes those before `oldest`, and those of the same subject that it replaces.
    func add(_ signOut: SignOut, forgettingBefore oldest: Int64) throws(Fault) {
        // Servers read what comes after the last number that they know. So numbers are committed in ascending order.
        if dialect == .postgres { try connection.change("LOCK TABLE sign_out IN EXCLUSIVE MODE") }
        let last = try connection.one("SELECT coalesce(max(number), 0) FROM sign_out") {
            row throws(DamagedRow) in try row.integer(0)
        }
        let values = signOut.values(number: (last ?? 0) + 1, dialect)
        try connection.change(
            "INSERT INTO sign_out (\(SignOut.columns(dialect))) VALUES (\(SQLDialect.parameters(values.count)))",
            values)
        try connection.change(
            """
            DELETE FROM sign_out
            WHERE number < $1 AND (kind = $2 AND name = $3 AND before <= $4 OR before < $5)
            """, Array(values.prefix(4)) + [.integer(oldest)])
    }
}

// The columns of a row of `sign_out`.
extension SignOut {
    fileprivate static func columns(_ dialect: SQLDialect) -> String {
        "number, kind, name, before" + dialect.sum
    }

    package init(_ row: SQLRow, _ dialect: SQLDialect) throws(DamagedRow) {
        let name = row.byteString(2)
        let subject: Subject
        switch try row.integer(1) {
        case 0: subject = .user(name)
        case 1: subject = .token(name)
        default: throw row.damage("is no kind of a sign-out", 1)
        }
        self.init(subject, before: try row.integer(3))
        if dialect.hasSums { try row.check(sum(number: row.integer(0)), 4) }
    }

    /// The values of all columns, in their order.
    fileprivate func values(number: Int64, _ dialect: SQLDialect) -> [SQLValue] {
        [.integer(number), .integer(kind), .bytes(name.utf8), .integer(before)]
            + (dialect.hasSums ? [.integer(sum(number: number))] : [])
    }

    /// The checksum of the row.
    package func sum(number: Int64) -> Int64 {
        var sum = RowSum()
        sum.update(number)
        sum.update(kind)
        sum.update(name.utf8)
        sum.update(before)
        return sum.value()
    }

    private var kind: Int64 { if case .user = subject { 0 } else { 1 } }

    private var name: ByteString {
        switch subject {
        case .user(let name), .token(let name): name
        }
    }
}

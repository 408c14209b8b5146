package import CaretCore
package import CaretFormat
package import CaretLog

/// Runs statements on a connection.
package protocol PostgresStatements: SQLConnection where Fault == PostgresFault {
    @discardableResult
    func run(_ sql: String, _ values: [PostgresValue]) throws(PostgresFault) -> PostgresResult
}

extension PostgresStatements {
    package static var dialect: SQLDialect { .postgres }

    package func forEachRow(
        _ sql: String, _ values: [SQLValue], _ body: (SQLRow) throws(PostgresFault) -> Bool
    ) throws(PostgresFault) {
        for row in try run(sql, values.map(PostgresValue.init)).rows where try !body(row.columns) { return }
    }

    @discardableResult
    package func change(_ sql: String, _ values: [SQLValue]) throws(PostgresFault) -> Int {
        try run(sql, values.map(PostgresValue.init)).changes
    }

    package func isPlain(_ first: Revision, of document: DocumentID) throws(PostgresFault) -> Bool {
        // PostgreSQL reads only the part of a stored body that `substr` needs.
        let plain = try one(
            "SELECT substr(body, 2, 1) = '\\x00' FROM segment WHERE document = $1 AND first = $2",
            .integer(document.value), .integer(Int64(first.value))
        ) { row in row.bool(0) }
        return plain ?? false
    }
}

/// Each statement in a transaction of its own, or all of them in that of `reading` or `transaction`.
extension Lane: PostgresStatements {}

/// In a transaction that the caller has begun.
extension PostgresConnection: PostgresStatements {
    package func reading<Answer>(
        _ body: () throws(PostgresFault) -> Answer
    ) throws(PostgresFault) -> Answer { try body() }
}

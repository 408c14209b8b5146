/// The differences between the SQL of SQLite and of PostgreSQL.
package enum SQLDialect {
    case sqlite
    case postgres

    /// The column of a user's name. `user` has a meaning in PostgreSQL.
    package var user: String { self == .sqlite ? "user" : "username" }

    /// Whether some tables have a last column with a checksum of the row. PostgreSQL has its own checksums.
    package var hasSums: Bool { self == .sqlite }

    /// The end of a list of columns: the checksum, if there is one.
    var sum: String { hasSums ? ", sum" : "" }

    /// A condition that is true if `column` is one of the numbers of a parameter.
    func isOneOf(_ column: String, _ parameter: String) -> String {
        switch self {
        case .sqlite: "\(column) IN (SELECT value FROM json_each(\(parameter)))"
        case .postgres: "\(column) = ANY(\(parameter))"
        }
    }

    /// SQL reads single bytes only of bodies up to this length. For one byte, SQLite reads the whole body.
    var shortBody: Int64 { self == .sqlite ? 2048 : .max }

    /// Reads the highest document ID. In SQLite, the IDs of removed documents count too.
    var lastDocument: String {
        switch self {
        case .sqlite: "SELECT coalesce((SELECT seq FROM sqlite_sequence WHERE name = 'document'), 0)"
        case .postgres: "SELECT coalesce(max(id), 0) FROM document"
        }
    }

    /// Checks the database file. The answer is the row "ok", or one row for each fault. Nil if the server of the database
    /// checks its own files.
    var fileCheck: String? { self == .sqlite ? "PRAGMA integrity_check(20)" : nil }

    /// Reads the ID for a new token. IDs are never reused.
    var nextToken: String {
        switch self {
        case .sqlite: "SELECT coalesce((SELECT seq FROM sqlite_sequence WHERE name = 'token'), 0) + 1"
        case .postgres: "SELECT nextval(pg_get_serial_sequence('token', 'id'))"
        }
    }

    /// The tables of tokens. In SQLite, the end and the last use of a token are in separate tables.
    var tokens: String {
        switch self {
        case .sqlite:
            """
            token LEFT JOIN token_end ON token_end.token = id LEFT JOIN token_use ON token_use.token = id
            """
        case .postgres: "token"
        }
    }

    /// A list of this number of parameters.
    package static func parameters(_ count: Int) -> String {
        (1...count).map { "$\($0)" }.joined(separator: ", ")
    }
}

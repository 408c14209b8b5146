/// What differs in the SQL of the two databases.
package enum SQLDialect {
    case sqlite
    case postgres

    /// The column of a user's name. `user` has a meaning in PostgreSQL.
    package var user: String { self == .sqlite ? "user" : "username" }

    /// Whether some tables have a last column with a checksum of the row. PostgreSQL has checksums of its own.
    package var hasSums: Bool { self == .sqlite }

    /// The column with the checksum, after other columns.
    var sum: String { hasSums ? ", sum" : "" }

    /// A condition that is true if `column` is one of the numbers of a parameter.
    func isOneOf(_ column: String, _ parameter: String) -> String {
        switch self {
        case .sqlite: "\(column) IN (SELECT value FROM json_each(\(parameter)))"
        case .postgres: "\(column) = ANY(\(parameter))"
        }
    }

    /// The most bytes of a body of which SQL may read one byte. SQLite would read the whole of a longer one.
    var shortBody: Int64 { self == .sqlite ? 2048 : .max }

    /// The highest ID of a document that was ever used. PostgreSQL knows only those that are not removed yet.
    var lastDocument: String {
        switch self {
        case .sqlite: "SELECT coalesce((SELECT seq FROM sqlite_sequence WHERE name = 'document'), 0)"
        case .postgres: "SELECT coalesce(max(id), 0) FROM document"
        }
    }

    /// Reads the whole file, and returns a row with the text "ok" or a row for each fault. PostgreSQL's files belong to
    /// PostgreSQL.
    var fileCheck: String? { self == .sqlite ? "PRAGMA integrity_check(20)" : nil }

    /// The number of a new token, which no token had before.
    var nextToken: String {
        switch self {
        case .sqlite: "SELECT coalesce((SELECT seq FROM sqlite_sequence WHERE name = 'token'), 0) + 1"
        case .postgres: "SELECT nextval(pg_get_serial_sequence('token', 'id'))"
        }
    }

    /// The tables with the columns of a token. In SQLite, its end and its last use have tables of their own.
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

import CPostgres
import CaretCore
import CaretFormat

/// The answer to a statement, with its rows in PostgreSQL's binary format.
///
/// Use it only on the thread or queue of its connection.
package final class PostgresResult {
    private let result: OpaquePointer

    /// Takes over the result, and frees it at the end.
    init(_ result: OpaquePointer) { self.result = result }

    deinit { PQclear(result) }

    /// The error that the server sent instead of an answer.
    var error: ServerError? {
        func field(_ code: Int32) -> String {
            PQresultErrorField(result, code).map { String(cString: $0) } ?? ""
        }
        return switch PQresultStatus(result) {
        case PGRES_TUPLES_OK, PGRES_COMMAND_OK, PGRES_EMPTY_QUERY: nil
        default:
            ServerError(
                state: field(caret_pg_sqlstate()), message: field(caret_pg_primary_message()))
        }
    }

    var count: Int { Int(PQntuples(result)) }

    /// The number of rows that the statement changed.
    var changes: Int { PQcmdTuples(result).flatMap { Int(String(cString: $0)) } ?? 0 }

    var rows: some Sequence<PostgresRow> {
        (0..<Int32(count)).lazy.map { PostgresRow(result: self, row: $0) }
    }

    var first: PostgresRow? { count > 0 ? PostgresRow(result: self, row: 0) : nil }

    fileprivate func field(_ row: Int32, _ column: Int32) -> UnsafeRawBufferPointer {
        let length = Int(PQgetlength(result, row, column))
        return UnsafeRawBufferPointer(start: PQgetvalue(result, row, column), count: length)
    }
}

extension PostgresResult: SQLColumns {
    package func isNull(_ column: Int32, in row: Int32) -> Bool { PQgetisnull(result, row, column) == 1 }

    /// Statements cast their numbers to `bigint`.
    package func number(_ column: Int32, in row: Int32) -> Int64? {
        let field = field(row, column)
        return field.count == 8 ? Int64(bigEndian: field.loadUnaligned(as: Int64.self)) : nil
    }

    package func bytes(_ column: Int32, in row: Int32) -> [UInt8] { Array(field(row, column)) }

    package func bool(_ column: Int32, in row: Int32) -> Bool { field(row, column).first == 1 }

    package func name(of column: Int32) -> String {
        PQfname(result, column).map { String(cString: $0) } ?? "\(column)"
    }
}

/// One row of an answer.
struct PostgresRow {
    fileprivate let result: PostgresResult
    fileprivate let row: Int32

    var columns: SQLRow { SQLRow(result, row: row) }

    func isNull(_ column: Int32) -> Bool { result.isNull(column, in: row) }

    func bool(_ column: Int32) -> Bool { result.bool(column, in: row) }

    func bytes(_ column: Int32) -> [UInt8] { result.bytes(column, in: row) }

    func text(_ column: Int32) -> String { String(decoding: result.field(row, column), as: UTF8.self) }

    func integer(_ column: Int32) throws(PostgresFault) -> Int64 {
        try PostgresFault.reading { () throws(DamagedRow) in try columns.integer(column) }
    }

    func optionalInteger(_ column: Int32) throws(PostgresFault) -> Int64? {
        isNull(column) ? nil : try integer(column)
    }

    func count(_ column: Int32) throws(PostgresFault) -> Int {
        try PostgresFault.reading { () throws(DamagedRow) in try columns.count(column) }
    }

    func revision(_ column: Int32) throws(PostgresFault) -> Revision { Revision(try count(column)) }
}

import CPostgres
import CaretCore
import CaretLog

/// The answer to a statement, with its rows in PostgreSQL's binary format.
///
/// Use it only on the thread or queue of its connection.
final class PostgresResult {
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

    /// The name of a column, for messages.
    fileprivate func name(of column: Int32) -> String {
        PQfname(result, column).map { String(cString: $0) } ?? "\(column)"
    }

    fileprivate func isNull(_ row: Int32, _ column: Int32) -> Bool { PQgetisnull(result, row, column) == 1 }

    fileprivate func field(_ row: Int32, _ column: Int32) -> UnsafeRawBufferPointer {
        let length = Int(PQgetlength(result, row, column))
        return UnsafeRawBufferPointer(start: PQgetvalue(result, row, column), count: length)
    }
}

/// One row of an answer.
struct PostgresRow {
    fileprivate let result: PostgresResult
    fileprivate let row: Int32

    func isNull(_ column: Int32) -> Bool { result.isNull(row, column) }

    /// A number of the type `bigint`. Statements cast other numbers to this type.
    /// A damaged row may have none.
    func integer(_ column: Int32) throws(PostgresFault) -> Int64 {
        let field = result.field(row, column)
        guard field.count == 8 else { throw damage("has no number", column) }
        return Int64(bigEndian: field.loadUnaligned(as: Int64.self))
    }

    func optionalInteger(_ column: Int32) throws(PostgresFault) -> Int64? {
        isNull(column) ? nil : try integer(column)
    }

    /// A number that a document can count to.
    func count(_ column: Int32) throws(PostgresFault) -> Int {
        let number = try integer(column)
        guard (0...DocumentEntry.farthest).contains(number) else { throw damage("has \(number)", column) }
        return Int(number)
    }

    func revision(_ column: Int32) throws(PostgresFault) -> Revision { Revision(try count(column)) }

    private func damage(_ what: String, _ column: Int32) -> PostgresFault {
        .damagedRow("the column \(result.name(of: column)) of a row \(what)")
    }

    func bool(_ column: Int32) -> Bool { result.field(row, column).first == 1 }

    func bytes(_ column: Int32) -> [UInt8] { Array(result.field(row, column)) }

    func byteCount(_ column: Int32) -> Int { result.field(row, column).count }

    func text(_ column: Int32) -> String { String(decoding: result.field(row, column), as: UTF8.self) }
}

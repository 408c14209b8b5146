package import CaretCore
package import CaretLog

/// One connection to the database of a store.
///
/// The parameters of a statement are `$1`, `$2` and so on. Use `$1` before `$2`, because SQLite numbers parameters by
/// their first appearance.
///
/// Use it only on the thread or queue of its owner.
package protocol SQLConnection: AnyObject, SendableMetatype {
    associatedtype Fault: HistoryFault

    static var dialect: SQLDialect { get }

    /// Runs `body` on one snapshot of the database.
    func reading<Answer>(_ body: () throws(Fault) -> Answer) throws(Fault) -> Answer

    /// Calls `body` for each row of the answer, until it returns false. `body` must not run the same statement.
    func forEachRow(
        _ sql: String, _ values: [SQLValue], _ body: (SQLRow) throws(Fault) -> Bool) throws(Fault)

    /// Returns how many rows the statement changed.
    @discardableResult
    func change(_ sql: String, _ values: [SQLValue]) throws(Fault) -> Int

    /// Whether the segment that begins with this revision is stored as it was appended. Does not read the whole body.
    func isPlain(_ first: Revision, of document: DocumentID) throws(Fault) -> Bool
}

// Inlined for speed: otherwise Swift looks up the type of the answer at run time, for each call.
extension SQLConnection {
    /// The first row of the answer; nil if there is none.
    @inline(__always)
    package func one<Answer>(
        _ sql: String, _ values: SQLValue..., read: (SQLRow) throws(DamagedRow) -> Answer
    ) throws(Fault) -> Answer? {
        try one(sql, values: values, read: read)
    }

    @inline(__always)
    package func one<Answer>(
        _ sql: String, values: [SQLValue], read: (SQLRow) throws(DamagedRow) -> Answer
    ) throws(Fault) -> Answer? {
        var (found, damage): (Answer?, DamagedRow?)
        try forEachRow(sql, values) { row in
            do throws(DamagedRow) { found = try read(row) } catch { damage = error }
            return false
        }
        if let damage { throw .damagedRow(damage.reason) }
        return found
    }

    @inline(__always)
    package func every<Answer>(
        _ sql: String, _ values: SQLValue..., read: (SQLRow) throws(DamagedRow) -> Answer
    ) throws(Fault) -> [Answer] {
        try every(sql, values: values, read: read)
    }

    @inline(__always)
    package func every<Answer>(
        _ sql: String, values: [SQLValue], read: (SQLRow) throws(DamagedRow) -> Answer
    ) throws(Fault) -> [Answer] {
        var (found, damage): ([Answer], DamagedRow?) = ([], nil)
        try forEachRow(sql, values) { row in
            do throws(DamagedRow) { found.append(try read(row)) } catch { damage = error }
            return damage == nil
        }
        if let damage { throw .damagedRow(damage.reason) }
        return found
    }

    /// Reads each row with `read`, and calls `body` with the result, until `body` returns false.
    @inline(__always)
    func forEach<Answer>(
        _ sql: String, _ values: [SQLValue], read: (SQLRow) throws(DamagedRow) -> Answer,
        body: (Answer) throws(Fault) -> Bool
    ) throws(Fault) {
        try forEachRow(sql, values) { row throws(Fault) in
            try body(try Fault.reading { () throws(DamagedRow) in try read(row) })
        }
    }

    func hasRow(_ sql: String, _ values: SQLValue...) throws(Fault) -> Bool {
        var isFound = false
        try forEachRow(sql, values) { _ throws(Fault) in
            isFound = true
            return false
        }
        return isFound
    }

    @discardableResult
    package func change(_ sql: String, _ values: SQLValue...) throws(Fault) -> Int { try change(sql, values) }
}

/// A parameter of a statement.
package enum SQLValue: Equatable, Sendable {
    /// Nil is null.
    case integer(Int64?)
    case bytes([UInt8])
    /// For `SQLDialect.isOneOf`.
    case integers([Int64])
}

extension SQLValue {
    /// Nil if the value is null or not a number.
    package var number: Int64? { if case .integer(let number) = self { number } else { nil } }

    /// Empty if the value is not bytes.
    package var bytes: [UInt8] { if case .bytes(let bytes) = self { bytes } else { [] } }

    static func id(_ document: DocumentID) -> SQLValue { .integer(document.value) }

    static func count(_ number: Int) -> SQLValue { .integer(Int64(number)) }

    static func revision(_ revision: Revision) -> SQLValue { .count(revision.value) }

    static func digest(_ digest: Digest) -> SQLValue { .bytes(digest.bytes) }
}

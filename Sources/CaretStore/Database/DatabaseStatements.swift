package import CaretCore
package import CaretFormat
package import CaretLog

extension Database: SQLConnection {
    package static var dialect: SQLDialect { .sqlite }

    package func reading<Answer>(_ body: () throws(StoreFault) -> Answer) throws(StoreFault) -> Answer {
        try reading(body, orFault: StoreFault.database)
    }

    package func forEachRow(
        _ sql: String, _ values: [SQLValue], _ body: (SQLRow) throws(StoreFault) -> Bool
    ) throws(StoreFault) {
        try forEach(sql, values, orFault: StoreFault.database) { row throws(StoreFault) in
            try body(row.checked)
        }
    }

    @discardableResult
    package func change(_ sql: String, _ values: [SQLValue]) throws(StoreFault) -> Int {
        do throws(DatabaseFault) { try run(sql, values) } catch { throw .database(error) }
        return changes
    }

    package func isPlain(_ first: Revision, of document: DocumentID) throws(StoreFault) -> Bool {
        let found = try one(
            "SELECT id FROM segment WHERE document = $1 AND first = $2", .integer(document.value),
            .integer(Int64(first.value))
        ) { row throws(DamagedRow) in try row.integer(0) }
        guard let found else { return false }
        do throws(DatabaseFault) {
            let packing = try byte(at: 1, table: "segment", column: "body", row: found)
            return packing == SegmentFormat.Packing.plain.rawValue
        } catch {
            throw .database(error)
        }
    }
}

import CaretCore
package import CaretLog

// The columns of a row of `document`.
extension DocumentRow {
    private static let names = [
        "id", "name", "epoch", "head", "start", "utf8", "utf16", "scalars", "updated", "line_break", "chain",
        "snapshot", "loose", "behind", "deleted",
    ]

    /// The SQL statements for these columns.
    private struct Statements {
        let columns: String
        /// Reads rows, up to the condition.
        let selection: String
        /// The first column is the ID.
        let insert: String
        /// The ID is the last parameter.
        let update: String

        init(_ names: [String]) {
            columns = names.joined(separator: ", ")
            selection = "SELECT \(columns) FROM document WHERE "
            insert = "INSERT INTO document (\(columns)) VALUES (\(SQLDialect.parameters(names.count)))"
            let assigned = names.dropFirst().enumerated().map { "\($1) = $\($0 + 1)" }
            update =
                "UPDATE document SET \(assigned.joined(separator: ", ")) WHERE id = $\(names.count)"
        }
    }

    private static let (plain, withSum) = (Statements(names), Statements(names + ["sum"]))

    private static func statements(_ dialect: SQLDialect) -> Statements { dialect.hasSums ? withSum : plain }

    package static func columns(_ dialect: SQLDialect) -> String { statements(dialect).columns }

    /// A statement that reads rows, up to its condition.
    static func selection(_ dialect: SQLDialect) -> String { statements(dialect).selection }

    /// The index of the first column after those of the row.
    static func columnCount(_ dialect: SQLDialect) -> Int32 { Int32(names.count) + (dialect.hasSums ? 1 : 0) }

    // MARK: Writing

    /// Inserts a new document that already has an ID.
    package func insert<Connection: SQLConnection>(
        into connection: Connection
    ) throws(Connection.Fault) {
        let dialect = Connection.dialect
        try connection.change(DocumentRow.statements(dialect).insert, values(dialect))
    }

    /// Inserts a new document, and returns the ID that the database gave it. Returns nil if the name is taken.
    package func insertIfFree<Connection: SQLConnection>(
        into connection: Connection
    ) throws(Connection.Fault) -> DocumentID? {
        let names = DocumentRow.names.dropFirst()
        return try connection.one(
            """
            INSERT INTO document (\(names.joined(separator: ", ")))
            VALUES (\(SQLDialect.parameters(names.count)))
            ON CONFLICT (name) WHERE deleted IS NULL DO NOTHING RETURNING id
            """, values: Array(values(Connection.dialect).dropFirst())
        ) { row throws(DamagedRow) in DocumentID(try row.integer(0)) }
    }

    /// Writes all columns.
    package func update<Connection: SQLConnection>(_ connection: Connection) throws(Connection.Fault) {
        let dialect = Connection.dialect
        try connection.change(
            DocumentRow.statements(dialect).update, values(dialect).dropFirst() + [.id(entry.id)])
    }

    // MARK: Reading

    package init(_ row: SQLRow, generation: UInt64, _ dialect: SQLDialect) throws(DamagedRow) {
        guard let lineBreak = LineBreak(stored: try row.integer(9)) else {
            throw row.damage("has no line break", 9)
        }
        let entry = DocumentEntry(
            id: DocumentID(try row.integer(0)), name: try row.name(1) { try? DocumentName($0) },
            epoch: Epoch(generation: generation, document: UInt64(bitPattern: try row.integer(2))),
            head: try row.revision(3), start: try row.revision(4),
            length: TextLength(utf8: try row.count(5), utf16: try row.count(6), scalars: try row.count(7)),
            updated: try row.integer(8), lineBreak: lineBreak, deleted: try row.optionalInteger(14))
        self.init(entry, chain: Chain(try row.digest(10)))
        snapshot = try row.revision(11)
        unmergedSegments = try row.count(12)
        bytesSinceSnapshot = try row.count(13)
        if dialect.hasSums { try row.check(sum, 15) }
        if !isPlausible {
            throw DamagedRow(reason: "the columns of a row of document do not match each other")
        }
    }

    // MARK: Values

    /// The values of all columns, in their order.
    private func values(_ dialect: SQLDialect) -> [SQLValue] {
        let values: [SQLValue] = [
            .id(entry.id), .bytes(entry.name.bytes.utf8), .integer(Int64(bitPattern: entry.epoch.document)),
            .revision(entry.head), .revision(entry.start), .count(entry.length.utf8),
            .count(entry.length.utf16), .count(entry.length.scalars), .integer(entry.updated),
            .integer(entry.lineBreak.stored), .digest(chain.value), .revision(snapshot),
            .count(unmergedSegments), .count(bytesSinceSnapshot), .integer(entry.deleted),
        ]
        return dialect.hasSums ? values + [.integer(sum)] : values
    }

    /// The checksum of the row.
    package var sum: Int64 {
        var sum = RowSum()
        sum.update(Int64(bitPattern: entry.epoch.document))
        sum.update(Int64(entry.head.value))
        sum.update(Int64(entry.start.value))
        sum.update(Int64(entry.length.utf8))
        sum.update(Int64(entry.length.utf16))
        sum.update(Int64(entry.length.scalars))
        sum.update(entry.updated)
        sum.update(entry.lineBreak.stored)
        sum.update(entry.id.value)
        sum.update(Int64(snapshot.value))
        sum.update(Int64(unmergedSegments))
        sum.update(Int64(bytesSinceSnapshot))
        sum.update(entry.deleted ?? -1)
        sum.update(entry.name.bytes.utf8)
        sum.update(chain.value)
        return sum.value()
    }
}

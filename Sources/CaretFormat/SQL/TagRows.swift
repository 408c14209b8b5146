import CaretCore
package import CaretLog

// The rows of tags.
extension SQLRows {
    /// Throws if a row is damaged.
    package func tags(of document: DocumentID) throws(Fault) -> [Tag] {
        try connection.every(
            """
            SELECT \(Tag.columns(dialect)) FROM tag WHERE document = $1 ORDER BY revision, name
            """, .id(document)
        ) { row throws(DamagedRow) in try Tag(row, of: document, dialect) }
    }
}

// The columns of a row of `tag`.
extension Tag {
    static func columns(_ dialect: SQLDialect) -> String {
        "name, revision, \(dialect.user), time" + dialect.sum
    }

    package init(
        _ row: SQLRow, of document: DocumentID, _ dialect: SQLDialect
    ) throws(DamagedRow) {
        self.init(
            name: try row.name(0) { TagName($0) }, revision: try row.revision(1), user: row.byteString(2),
            time: try row.integer(3))
        if dialect.hasSums { try row.check(sum(in: document), 4) }
    }

    /// The values of all columns, in their order.
    func values(in document: DocumentID, _ dialect: SQLDialect) -> [SQLValue] {
        [.bytes(name.bytes.utf8), .revision(revision), .bytes(user.utf8), .integer(time)]
            + (dialect.hasSums ? [.integer(sum(in: document))] : [])
    }

    /// The checksum of the row.
    package func sum(in document: DocumentID) -> Int64 {
        var sum = RowSum()
        sum.update(document.value)
        sum.update(Int64(revision.value))
        sum.update(time)
        sum.update(name.bytes.utf8)
        sum.update(user.utf8)
        return sum.value()
    }
}

package import CaretCore
package import CaretLog

/// Gives access to the columns of the rows that a database returned.
package protocol SQLColumns: AnyObject {
    func isNull(_ column: Int32, in row: Int32) -> Bool

    /// Nil if the column has no number of 64 bits.
    func number(_ column: Int32, in row: Int32) -> Int64?

    /// Empty if the column has no bytes.
    func bytes(_ column: Int32, in row: Int32) -> [UInt8]

    func bool(_ column: Int32, in row: Int32) -> Bool

    /// The name of a column, for messages.
    func name(of column: Int32) -> String
}

/// A row contains a value that no server writes.
package struct DamagedRow: Error {
    /// For an operator.
    package let reason: String
}

/// One row of an answer. A column with a value of the wrong type throws `DamagedRow`.
package struct SQLRow {
    private let columns: any SQLColumns
    private let row: Int32

    package init(_ columns: any SQLColumns, row: Int32 = 0) {
        self.columns = columns
        self.row = row
    }

    package func isNull(_ column: Int32) -> Bool { columns.isNull(column, in: row) }

    package func bool(_ column: Int32) -> Bool { columns.bool(column, in: row) }

    package func bytes(_ column: Int32) -> [UInt8] { columns.bytes(column, in: row) }

    package func integer(_ column: Int32) throws(DamagedRow) -> Int64 {
        guard let number = columns.number(column, in: row) else { throw damage("has no number", column) }
        return number
    }

    package func optionalInteger(_ column: Int32) throws(DamagedRow) -> Int64? {
        isNull(column) ? nil : try integer(column)
    }

    /// A number that a document can count to.
    package func count(_ column: Int32) throws(DamagedRow) -> Int {
        let number = try integer(column)
        guard (0...DocumentEntry.farthest).contains(number) else { throw damage("has \(number)", column) }
        return Int(number)
    }

    package func revision(_ column: Int32) throws(DamagedRow) -> Revision { Revision(try count(column)) }

    func digest(_ column: Int32) throws(DamagedRow) -> Digest {
        guard let digest = Digest(bytes: bytes(column)) else { throw damage("has no digest", column) }
        return digest
    }

    func byteString(_ column: Int32) -> ByteString { ByteString(utf8: bytes(column)) }

    /// `make` returns nil for a name that no server writes.
    func name<Name>(_ column: Int32, _ make: (String) -> Name?) throws(DamagedRow) -> Name {
        guard let name = String(validating: bytes(column), as: UTF8.self).flatMap(make) else {
            throw damage("has no valid name", column)
        }
        return name
    }

    /// The pusher whose user and client are in this column and the next one.
    package func pusher(_ column: Int32) -> Pusher {
        Pusher(user: byteString(column), client: byteString(column + 1))
    }

    /// Compares the checksum of a row.
    func check(_ sum: Int64, _ column: Int32) throws(DamagedRow) {
        if try integer(column) != sum { throw damage("does not match the others", column) }
    }

    func damage(_ what: String, _ column: Int32) -> DamagedRow {
        DamagedRow(reason: "the column \(columns.name(of: column)) of a row \(what)")
    }
}

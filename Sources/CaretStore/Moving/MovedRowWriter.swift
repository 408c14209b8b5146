import CaretCore
import CaretFormat
import CaretLog

/// Writes rows of another kind of store, and adds the checksums that only SQLite rows have.
struct MovedRowWriter {
    let database: Database

    /// Inserts the row.
    func insert(_ row: MovedRow, into table: MovedTable) throws(StoreMoveFault) {
        do throws(DatabaseFault) {
            switch table {
            case .author, .segment, .snapshot:
                try insert(row.map(Value.init), into: table.rawValue, table.columns.map(\.sqliteName))
            case .document:
                guard let document = DocumentRow(moved: row) else { throw MovedRowWriter.invalid(table) }
                try insert(
                    [.integer(document.entry.id.value)] + document.values, into: "document",
                    [DocumentRow.columns])
            case .pusher:
                let pusher = try PusherRow(moved: row, pusher(row.number(1)))
                guard let pusher else { throw MovedRowWriter.invalid(table) }
                try insert(
                    row.map(Value.init) + [.integer(pusher.sum)], into: "pusher",
                    table.columns.map(\.sqliteName) + ["sum"])
            case .tag:
                guard let name = String(validating: row.bytes(1), as: UTF8.self).flatMap({ TagName($0) }),
                    row.number(2) >= 0
                else { throw MovedRowWriter.invalid(table) }
                let tag = Tag(
                    name: name, revision: Revision(Int(row.number(2))), user: ByteString(utf8: row.bytes(3)),
                    time: row.number(4))
                try insert(
                    row.map(Value.init) + [.integer(TagTable.sum(of: tag, in: DocumentID(row.number(0))))],
                    into: "tag", table.columns.map(\.sqliteName) + ["sum"])
            case .token: try insertToken(row)
            }
        } catch {
            throw StoreMoveFault(error)
        }
    }

    private func insertToken(_ row: MovedRow) throws(DatabaseFault) {
        guard let user = String(validating: row.bytes(1), as: UTF8.self).flatMap({ try? UserName($0) }),
            let digest = Digest(bytes: row.bytes(2))
        else { throw MovedRowWriter.invalid(.token) }
        let grants = row.bytes(5)
        let token = TokenRow(
            id: TokenID(row.number(0)), user: user, digest: digest, created: row.number(3),
            expires: row.optionalNumber(4), grants: grants)
        try insert(token.values + [.bytes(grants)], into: "token", [TokenRow.columns, "grants"])
        if let end = row.optionalNumber(4) {
            try insert(
                [.integer(token.id.value), .integer(end), .integer(row.number(6))], into: "token_end",
                ["token", "expires", "ended"])
        }
        if let used = row.optionalNumber(7) {
            try insert([.integer(token.id.value), .integer(used)], into: "token_use", ["token", "used"])
        }
    }

    private func pusher(_ author: Int64) throws(DatabaseFault) -> Pusher? {
        try database.first("SELECT user, client FROM author WHERE id = ?", [.integer(author)]) {
            Pusher(user: ByteString(utf8: $0.bytes(0)), client: ByteString(utf8: $0.bytes(1)))
        }
    }

    private func insert(
        _ values: [Value], into table: String, _ columns: [String]
    ) throws(DatabaseFault) {
        let places = values.map { _ in "?" }.joined(separator: ", ")
        try database.run(
            "INSERT INTO \(table) (\(columns.joined(separator: ", "))) VALUES (\(places))", values)
    }

    /// The source was checked before, so this means that it was changed meanwhile.
    private static func invalid(_ table: MovedTable) -> DatabaseFault {
        DatabaseFault(code: 0, message: "a row of \(table.rawValue) is not valid")
    }
}

extension DocumentRow {
    /// The generation is not stored in the row.
    fileprivate init?(moved row: MovedRow) {
        guard let name = String(validating: row.bytes(1), as: UTF8.self).flatMap({ try? DocumentName($0) }),
            let lineBreak = LineBreak(stored: row.number(9)), let chain = Digest(bytes: row.bytes(10))
        else { return nil }
        let entry = DocumentEntry(
            id: DocumentID(row.number(0)), name: name,
            epoch: Epoch(generation: 0, document: UInt64(bitPattern: row.number(2))),
            head: Revision(Int(row.number(3))), start: Revision(Int(row.number(4))),
            length: TextLength(
                utf8: Int(row.number(5)), utf16: Int(row.number(6)), scalars: Int(row.number(7))),
            updated: row.number(8), lineBreak: lineBreak, deleted: row.optionalNumber(14))
        self.init(entry, chain: Chain(chain))
        snapshot = Revision(Int(row.number(11)))
        unmergedSegments = Int(row.number(12))
        bytesSinceSnapshot = Int(row.number(13))
    }
}

extension PusherRow {
    fileprivate init?(moved row: MovedRow, _ pusher: Pusher?) {
        guard let pusher, let digest = Digest(bytes: row.bytes(4)) else { return nil }
        self.init(
            document: DocumentID(row.number(0)), author: row.number(1), pusher: pusher,
            entry: PusherEntry(
                seq: row.number(2), revision: Revision(Int(row.number(3))), digest: digest,
                used: row.number(5)))
    }
}

extension Value {
    fileprivate init(_ value: MovedValue) {
        switch value {
        case .number(let number): self = .integer(number)
        case .bytes(let bytes): self = .bytes(bytes)
        case .null: self = .null
        }
    }
}

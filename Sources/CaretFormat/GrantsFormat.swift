package import CaretLog

/// The stored form of grants. For each grant: a byte for its access, a byte for document or prefix, the
/// length of the name as a varint, and the name.
package enum GrantsFormat {
    package static func encoded(_ grants: Grants) -> [UInt8] {
        var column = ByteColumn()
        for grant in grants.grants {
            column.append(byte: grant.access.stored)
            switch grant.scope {
            case .document(let name):
                column.append(byte: 0)
                append(name.bytes, to: &column)
            case .prefix(let prefix):
                column.append(byte: 1)
                append(prefix, to: &column)
            }
        }
        return column.bytes
    }

    private static func append(_ name: ByteString, to column: inout ByteColumn) {
        column.append(count: name.utf8.count)
        column.append(name.utf8)
    }

    /// Nil if the bytes are not grants, because the row is damaged.
    package static func decoded(_ bytes: [UInt8]) -> Grants? {
        var reader = ByteColumnReader(bytes[...])
        var grants: [Grant] = []
        while !reader.isAtEnd {
            // Any error here means that the row is damaged.
            guard let grant = try? grant(&reader) else { return nil }
            grants.append(grant)
        }
        return Grants(grants)
    }

    private static func grant(_ reader: inout ByteColumnReader) throws -> Grant? {
        guard let access = Access(stored: try reader.byte()) else { return nil }
        let kind = try reader.byte()
        let bytes = try reader.bytes(reader.count(atMost: DocumentName.longest))
        guard let name = String(validating: bytes, as: UTF8.self) else { return nil }
        switch kind {
        case 0: return Grant(access, to: .document(try DocumentName(name)))
        case 1: return Grant(access, to: .prefix(ByteString(name)))
        default: return nil
        }
    }
}

extension Access {
    /// The stored numbers are not in the order of the rights: `note` came after the others.
    fileprivate var stored: UInt8 {
        switch self {
        case .none: 0
        case .read: 1
        case .write: 2
        case .admin: 3
        case .note: 4
        }
    }

    fileprivate init?(stored: UInt8) {
        guard let access = Access.allCases.first(where: { $0.stored == stored }) else { return nil }
        self = access
    }
}

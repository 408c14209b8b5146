package import CaretLog

/// The stored form of a segment: version 1 of docs/storage.md.
///
/// The segment's revisions are in other columns of its row. A pusher is stored as the number of its row in
/// `author`.
package enum SegmentFormat {
    static let version: UInt8 = 1

    /// How the columns are stored.
    package enum Packing: UInt8, Sendable {
        /// Uncompressed: for appended segments.
        case plain = 0
        /// Each column compressed by zlib: for merged segments.
        case deflated = 1
    }

    /// `authors` has the number of each change's pusher.
    package static func encoded(
        _ changes: [LoggedChange], packing: Packing, authors: [Int64]
    ) -> [UInt8] {
        var columns = SegmentColumns()
        return encoded(changes, packing: packing, authors: authors, in: &columns)
    }

    /// Returns the same bytes, but builds the columns in `columns`. A caller that encodes many small segments
    /// passes the same `columns` each time, so that their memory is allocated only once.
    static func encoded(
        _ changes: [LoggedChange], packing: Packing, authors: [Int64], in columns: inout SegmentColumns
    ) -> [UInt8] {
        precondition(authors.count == changes.count, "each change needs the number of its pusher")
        columns.removeAll()
        for (change, author) in zip(changes, authors) { columns.append(change, author: author) }
        var block = ByteColumn(room: 64)
        block.append(byte: version)
        block.append(byte: packing.rawValue)
        block.append(count: changes.count)
        columns.forEachColumn { column in
            let body = packing == .deflated ? Deflate.packed(column) : column
            block.append(count: column.count)
            if packing == .deflated { block.append(count: body.count) }
            block.append(body)
        }
        return block.bytes
    }

    package static func decoded(
        _ bytes: [UInt8], pushers: [Int64: Pusher]
    ) throws(SegmentFault) -> [LoggedChange] {
        try decoded(bytes) { number throws(SegmentFault) in
            guard let pusher = pushers[number] else { throw .unknownAuthor(number) }
            return pusher
        }
    }

    /// Calls `pusher` for an author's number whenever the author changes.
    package static func decoded(
        _ bytes: [UInt8], pusher: (Int64) throws(SegmentFault) -> Pusher
    ) throws(SegmentFault) -> [LoggedChange] {
        let (count, columns) = try columns(of: bytes)
        // Each change has at least one byte in the column of shapes, so it has at least `count` bytes.
        if count > columns[0].count { throw .truncated }
        var reader = SegmentColumnsReader(columns)
        var changes: [LoggedChange] = []
        changes.reserveCapacity(count)
        for _ in 0..<count { changes.append(try reader.change(by: pusher)) }
        try reader.finish()
        return changes
    }

    private static func columns(
        of bytes: [UInt8]
    ) throws(SegmentFault) -> (changes: Int, columns: [ArraySlice<UInt8>]) {
        var block = ByteColumnReader(bytes[...])
        let found = try block.byte()
        guard found == version else { throw .unknownVersion(found) }
        guard let packing = Packing(rawValue: try block.byte()) else { throw .numberOutOfRange }
        let count = try block.count(atMost: Int(Int32.max))
        var columns: [ArraySlice<UInt8>] = []
        for _ in 0..<SegmentColumns.count { columns.append(try column(&block, packing)) }
        if !block.isAtEnd { throw .trailingBytes }
        return (count, columns)
    }

    private static func column(
        _ block: inout ByteColumnReader, _ packing: Packing
    ) throws(SegmentFault) -> ArraySlice<UInt8> {
        let count = try block.count(atMost: Deflate.largest)
        switch packing {
        case .plain: return try block.bytes(count)
        case .deflated:
            let packed = try block.bytes(try block.count(atMost: Deflate.largest))
            return try Deflate.unpacked(packed, count: count)[...]
        }
    }
}

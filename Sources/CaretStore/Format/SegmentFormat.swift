package import CaretLog

/// The stored form of a segment: version 1 of docs/storage.md.
///
/// The row that holds it says which revisions they are; the pushers are numbers of rows of their own.
package enum SegmentFormat {
    static let version: UInt8 = 1

    /// How the columns are kept.
    package enum Packing: UInt8, Sendable {
        /// As they are: for a segment as it is appended.
        case plain = 0
        /// Each through zlib: for segments that were merged.
        case deflated = 1
    }

    /// `authors` has the number of each change's pusher.
    package static func encoded(
        _ changes: [LoggedChange], packing: Packing, authors: [Int64]
    ) -> [UInt8] {
        var columns = SegmentColumns()
        return encoded(changes, packing: packing, authors: authors, in: &columns)
    }

    /// The same by way of columns that were used before: small segments are many.
    static func encoded(
        _ changes: [LoggedChange], packing: Packing, authors: [Int64], in columns: inout SegmentColumns
    ) -> [UInt8] {
        precondition(authors.count == changes.count, "a change without the number of its pusher")
        columns.removeAll()
        for (change, author) in zip(changes, authors) { columns.append(change, author: author) }
        var block = ByteColumn(room: 64)
        block.append(byte: version)
        block.append(byte: packing.rawValue)
        block.append(count: changes.count)
        columns.each { column in
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

    /// `pusher` is asked for the one of a number whenever it changes.
    static func decoded(
        _ bytes: [UInt8], pusher: (Int64) throws(SegmentFault) -> Pusher
    ) throws(SegmentFault) -> [LoggedChange] {
        let (count, columns) = try columns(of: bytes)
        // Each change has a shape of at least one byte.
        if count > columns[0].count { throw .cutOff }
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
        guard let packing = Packing(rawValue: try block.byte()) else { throw .badNumber }
        let count = try block.count(atMost: Int(Int32.max))
        var columns: [ArraySlice<UInt8>] = []
        for _ in 0..<SegmentColumns.count { columns.append(try column(&block, packing)) }
        if !block.isAtEnd { throw .excess }
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
            // zlib makes at most 1,032 bytes of one, so a count beyond that is a lie, and costs no memory.
            guard count <= packed.count * 1032 else { throw .badNumber }
            return try Deflate.unpacked(packed, count: count)[...]
        }
    }
}

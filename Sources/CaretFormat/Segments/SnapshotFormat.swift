import CaretCore
import CaretLog

/// The stored form of a text: its length in UTF-8, and its UTF-8 compressed by zlib.
enum SnapshotFormat {
    static func encoded(_ text: TextBuffer) -> (body: [UInt8], digest: Digest) {
        var utf8: [UInt8] = []
        utf8.reserveCapacity(text.length.utf8)
        text.forEachPiece { utf8.append(contentsOf: $0) }
        var body = ByteColumn()
        body.append(count: utf8.count)
        body.append(Deflate.packed(utf8))
        return (body.bytes, SHA256.digest(of: utf8))
    }

    /// Nil if the bytes are not a text, or do not match the digest.
    static func decoded(_ body: [UInt8], digest: Digest) -> TextBuffer? {
        do {
            var reader = ByteColumnReader(body[...])
            let count = try reader.count(atMost: Deflate.largest)
            let utf8 = try Deflate.unpacked(reader.rest, count: count)
            guard SHA256.digest(of: utf8) == digest else { return nil }
            return try utf8.withUnsafeBufferPointer { try TextBuffer(validating: $0) }
        } catch {
            // Any error here means that the snapshot is damaged.
            return nil
        }
    }
}

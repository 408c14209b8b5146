package import CaretRooms
package import Glibc

/// The payloads that a connection still has to write.
package struct OutputQueue {
    private struct Entry {
        let payload: Payload
        /// The bytes of the payload. They are read often. Reading them through `payload` would change a
        /// reference count each time.
        let bytes: UnsafeRawBufferPointer
    }

    private var entries: [Entry] = []
    /// The index of the first unwritten entry. The entries before it are removed later.
    private var first = 0
    /// How many bytes of the first unwritten entry are written.
    private var written = 0
    /// The number of unwritten bytes.
    package private(set) var bytes = 0

    package init() {}

    /// An empty queue with a larger capacity than this frees its memory, because there may be very many
    /// connections.
    private static let keptCapacity = 16
    /// With more written entries than this, the queue removes them.
    private static let keptWrittenEntries = 64

    package var isEmpty: Bool { first == entries.count }

    package mutating func append(_ payload: Payload) {
        entries.append(Entry(payload: payload, bytes: payload.bytes))
        bytes += payload.bytes.count
    }

    /// The unwritten bytes of the first entry, and whether these are all unwritten bytes of the queue.
    var front: (bytes: UnsafeRawBufferPointer, isAll: Bool) {
        let bytes = UnsafeRawBufferPointer(rebasing: entries[first].bytes[written...])
        return (bytes, first + 1 == entries.count)
    }

    /// Fills `pieces` with the addresses of the first unwritten bytes, at most `limit`. Returns the number of filled
    /// pieces.
    package func fill(_ pieces: UnsafeMutableBufferPointer<iovec>, upTo limit: Int) -> Int {
        var count = 0
        var left = limit
        while count < min(pieces.count, entries.count - first), left > 0 {
            let bytes = entries[first + count].bytes
            let start = count == 0 ? written : 0
            let length = min(bytes.count - start, left)
            pieces[count].iov_base = UnsafeMutableRawPointer(mutating: bytes.baseAddress! + start)
            pieces[count].iov_len = length
            left -= length
            count += 1
        }
        return count
    }

    /// A position in the unwritten bytes.
    struct Cursor {
        fileprivate var entry: Int
        fileprivate var offset: Int
    }

    /// The position of the first unwritten byte.
    var start: Cursor { Cursor(entry: first, offset: written) }

    /// The bytes after a position, at most as many as fit in `buffer`. They are copied to `buffer` only if they belong
    /// to several payloads. Empty at the end of the queue.
    func next(
        after cursor: inout Cursor, gatheredIn buffer: UnsafeMutableRawBufferPointer
    ) -> UnsafeRawBufferPointer {
        let front = piece(after: &cursor, upTo: buffer.count)
        if front.count == buffer.count || cursor.entry == entries.count { return front }
        var filled = 0
        var piece = front
        while !piece.isEmpty {
            UnsafeMutableRawBufferPointer(rebasing: buffer[filled...]).copyMemory(from: piece)
            filled += piece.count
            piece = self.piece(after: &cursor, upTo: buffer.count - filled)
        }
        return UnsafeRawBufferPointer(rebasing: buffer[..<filled])
    }

    /// The bytes of one payload after a position, at most `limit`.
    private func piece(after cursor: inout Cursor, upTo limit: Int) -> UnsafeRawBufferPointer {
        guard cursor.entry < entries.count, limit > 0 else {
            return UnsafeRawBufferPointer(start: nil, count: 0)
        }
        let rest = UnsafeRawBufferPointer(rebasing: entries[cursor.entry].bytes[cursor.offset...])
        if rest.count > limit {
            cursor.offset += limit
            return UnsafeRawBufferPointer(rebasing: rest[..<limit])
        }
        cursor = Cursor(entry: cursor.entry + 1, offset: 0)
        return rest
    }

    /// Removes bytes from the front, after they were written.
    package mutating func removeFirst(_ count: Int) {
        bytes -= count
        var left = count
        while left > 0 {
            let size = min(left, entries[first].bytes.count - written)
            left -= size
            written += size
            if written == entries[first].bytes.count {
                first += 1
                written = 0
            }
        }
        dropWritten()
    }

    mutating func removeAll() {
        self = OutputQueue()
    }

    private mutating func dropWritten() {
        if isEmpty {
            entries.removeAll(keepingCapacity: entries.capacity <= OutputQueue.keptCapacity)
            first = 0
        } else if first >= OutputQueue.keptWrittenEntries {
            entries.removeFirst(first)
            first = 0
        }
    }
}

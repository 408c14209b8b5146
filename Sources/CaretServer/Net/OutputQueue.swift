package import Glibc

/// The payloads that a connection still has to write.
package struct OutputQueue {
    private struct Entry {
        let payload: Payload
        /// The bytes of the payload. Stored here too, because they are read often, and following the
        /// reference costs a reference count.
        let bytes: UnsafeRawBufferPointer
    }

    private var entries: [Entry] = []
    /// The entries before this index are written, but not removed yet.
    private var first = 0
    /// How much of the first entry is written.
    private var written = 0
    /// The number of unwritten bytes.
    package private(set) var bytes = 0

    package init() {}

    /// If the capacity is larger than this, it is freed when the queue is empty. There may be very many
    /// connections.
    private static let roomKept = 16
    /// The most written entries that stay at the front.
    private static let writtenKept = 64

    package var isEmpty: Bool { first == entries.count }

    package mutating func append(_ payload: Payload) {
        entries.append(Entry(payload: payload, bytes: payload.bytes))
        bytes += payload.bytes.count
    }

    /// The first bytes, as far as they are contiguous, and whether that is all.
    var front: (bytes: UnsafeRawBufferPointer, isAll: Bool) {
        let bytes = UnsafeRawBufferPointer(rebasing: entries[first].bytes[written...])
        return (bytes, first + 1 == entries.count)
    }

    /// Fills in where the first bytes are, in as many pieces as fit. Returns the number of pieces.
    package func fill(_ pieces: UnsafeMutableBufferPointer<iovec>) -> Int {
        let count = min(pieces.count, entries.count - first)
        for index in 0..<count {
            let bytes = entries[first + index].bytes
            let start = index == 0 ? written : 0
            pieces[index].iov_base = UnsafeMutableRawPointer(mutating: bytes.baseAddress! + start)
            pieces[index].iov_len = bytes.count - start
        }
        return count
    }

    /// Removes bytes from the front.
    package mutating func take(_ count: Int) {
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
            entries.removeAll(keepingCapacity: entries.capacity <= OutputQueue.roomKept)
            first = 0
        } else if first >= OutputQueue.writtenKept {
            entries.removeFirst(first)
            first = 0
        }
    }
}

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

    /// Fills `pieces` with the addresses of the first unwritten bytes. Returns the number of filled pieces.
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

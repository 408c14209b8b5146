package import Glibc

/// The payloads that wait to be written to a connection.
package struct OutputQueue {
    private struct Entry {
        let payload: Payload
        /// Those of the payload, here too since they are looked at often, and to count a reference costs as much.
        let bytes: UnsafeRawBufferPointer
    }

    private var entries: [Entry] = []
    /// The entries before this one are written, though still there.
    private var first = 0
    /// How much of the first entry is written.
    private var written = 0
    /// Bytes that wait.
    package private(set) var bytes = 0

    package init(bytes: Int = 0) {
        self.bytes = bytes
    }

    /// Room for more entries than this is given back once all are written: there may be very many connections.
    private static let roomKept = 16
    /// So many written entries are kept in front at most.
    private static let writtenKept = 64

    package var isEmpty: Bool { first == entries.count }

    package mutating func append(_ payload: Payload) {
        entries.append(Entry(payload: payload, bytes: payload.bytes))
        bytes += payload.bytes.count
    }

    /// The bytes that come first, as far as they lie together, and whether they are all.
    var front: (bytes: UnsafeRawBufferPointer, isAll: Bool) {
        let bytes = UnsafeRawBufferPointer(rebasing: entries[first].bytes[written...])
        return (bytes, first + 1 == entries.count)
    }

    /// Says where the bytes that come first lie, in as many pieces as there is room for, and in how many it did.
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

    /// Takes so many bytes off the front.
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

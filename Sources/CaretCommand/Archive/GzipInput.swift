import CZlib
import CaretSync
import Glibc

/// Unpacks a gzip file. Returns the bytes of any other file unchanged.
///
/// Holds only one block of the file in memory, even if the unpacked data is large. Throws if the file
/// continues after the packed data.
final class GzipInput {
    enum Fault: Error, Equatable {
        case system(Int32)
        /// The packed data is damaged.
        case damaged
        /// The file continues after the packed data.
        case trailing
    }

    private enum State {
        case plain
        case packed
        /// All data is unpacked.
        case ended
    }

    private let descriptor: Int32
    /// The size of the file in bytes; 0 for a file without a size, such as a pipe.
    let fileBytes: Int
    /// The number of bytes that were read from the file.
    private(set) var readBytes = 0
    /// The state of zlib. The state is on the heap, because zlib requires that its address does not change.
    private let stream: UnsafeMutablePointer<z_stream>
    private var state: State
    private var block = [UInt8](repeating: 0, count: 1 << 17)
    private var unread: Range<Int>
    /// Whether the file ended in the middle of the packed data.
    private(set) var isCutOff = false

    /// 15 selects the largest window of zlib. Adding 16 makes zlib expect a gzip header.
    private static let window: Int32 = 15 + 16

    init(_ path: String) throws(Fault) {
        descriptor = open(path, O_RDONLY | O_CLOEXEC)
        if descriptor < 0 { throw .system(errno) }
        stream = .allocate(capacity: 1)
        stream.initialize(to: z_stream())
        var status = stat()
        fileBytes = fstat(descriptor, &status) == 0 ? Int(status.st_size) : 0
        (state, unread) = (.plain, 0..<0)
        let started = inflateInit2_(
            stream, GzipInput.window, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size))
        // All properties are set here, so `deinit` runs and releases them if this line throws.
        if started != Z_OK { throw .system(ENOMEM) }
        try refill()
        if block[unread].starts(with: [0x1F, 0x8B]) { state = .packed }
    }

    deinit {
        inflateEnd(stream)
        stream.deallocate()
        close(descriptor)
    }

    /// Returns the number of bytes read; 0 at the end.
    func read(into bytes: inout [UInt8]) throws(Fault) -> Int {
        while true {
            if unread.isEmpty { try refill() }
            switch state {
            case .plain: return copy(into: &bytes)
            case .ended:
                if !unread.isEmpty { throw .trailing }
                return 0
            case .packed:
                if unread.isEmpty {
                    isCutOff = true
                    return 0
                }
                let count = try inflate(into: &bytes)
                if count > 0 { return count }
            }
        }
    }

    private func copy(into bytes: inout [UInt8]) -> Int {
        let count = min(bytes.count, unread.count)
        bytes.replaceSubrange(0..<count, with: block[unread.lowerBound..<unread.lowerBound + count])
        unread.removeFirst(count)
        return count
    }

    private func inflate(into bytes: inout [UInt8]) throws(Fault) -> Int {
        let (room, start) = (bytes.count, unread.lowerBound)
        let code = block.withUnsafeMutableBufferPointer { source in
            bytes.withUnsafeMutableBufferPointer { target in
                stream.pointee.next_in = source.baseAddress.map { $0 + start }
                stream.pointee.avail_in = UInt32(unread.count)
                stream.pointee.next_out = target.baseAddress
                stream.pointee.avail_out = UInt32(room)
                return CZlib.inflate(stream, Z_NO_FLUSH)
            }
        }
        unread = unread.upperBound - Int(stream.pointee.avail_in)..<unread.upperBound
        switch code {
        // `Z_BUF_ERROR` means that zlib needs more bytes. The caller then reads the next block of the file.
        case Z_OK, Z_BUF_ERROR: break
        case Z_STREAM_END: state = .ended
        case Z_MEM_ERROR: throw .system(ENOMEM)
        default: throw .damaged
        }
        return room - Int(stream.pointee.avail_out)
    }

    private func refill() throws(Fault) {
        while true {
            let count = Glibc.read(descriptor, &block, block.count)
            if count < 0, errno == EINTR { continue }
            if count < 0 { throw .system(errno) }
            unread = 0..<count
            readBytes += count
            return
        }
    }
}

/// A frame of SQLite's write-ahead log, in the format that SQLite documents. The log has a header of 32
/// bytes, then frames. Each frame has a header of 24 bytes and a page. A frame's checksum covers the first
/// eight bytes of its header and its page, and continues the checksum of the previous frame.
struct LogFrame {
    private static let logHeader: Int64 = 32
    private static let header: Int64 = 24
    private static let size = header + Int64(PageSums.pageSize)

    /// The offset of the frame in the log.
    let start: Int64

    /// The frame with its page at `offset`. Nil if no frame has a page of `count` bytes there.
    init?(ofPage count: Int32, at offset: Int64) {
        start = offset - LogFrame.header
        guard count == Int32(PageSums.pageSize), start >= LogFrame.logHeader,
            (start - LogFrame.logHeader) % LogFrame.size == 0
        else { return nil }
    }

    /// Calls `body` with a buffer for a frame, and with the part of that buffer for the page.
    static func withFrameBuffer<Result>(
        _ body: (_ frame: UnsafeMutableRawBufferPointer, _ page: UnsafeRawBufferPointer) -> Result
    ) -> Result {
        withUnsafeTemporaryAllocation(byteCount: Int(size), alignment: 8) { frame in
            body(frame, UnsafeRawBufferPointer(rebasing: frame[Int(header)...]))
        }
    }

    /// Whether the frame's checksum matches its content. `read` fills a buffer from an offset of the log.
    func isSound(
        _ frame: UnsafeRawBufferPointer, read: (UnsafeMutableRawBufferPointer, Int64) -> Bool
    ) -> Bool {
        withUnsafeTemporaryAllocation(byteCount: 8, alignment: 8) { bytes in
            // The checksum of the previous frame is in the last eight bytes of its header. The first frame
            // continues the checksum at the end of the log's header.
            let isFirst = start == LogFrame.logHeader
            guard read(bytes, isFirst ? start - 8 : start - LogFrame.size + LogFrame.header - 8) else {
                return false
            }
            let before = (bytes.big(0), bytes.big(4))
            // The checksums are nearly always in this machine's byte order. If a machine with the other
            // order began the log, they are in that order.
            return LogFrame.isSound(frame, after: before, isBigEndian: LogFrame.isBigEndian)
                || LogFrame.isSound(frame, after: before, isBigEndian: !LogFrame.isBigEndian)
        }
    }

    private static let isBigEndian = 1.bigEndian == 1

    private static func isSound(
        _ frame: UnsafeRawBufferPointer, after before: (UInt32, UInt32), isBigEndian: Bool
    ) -> Bool {
        var sum = LogSum(before.0, before.1, isBigEndian: isBigEndian)
        sum.add(UnsafeRawBufferPointer(rebasing: frame[0..<8]))
        sum.add(UnsafeRawBufferPointer(rebasing: frame[Int(header)...]))
        return sum.first == frame.big(16) && sum.second == frame.big(20)
    }
}

/// The checksum of SQLite's log.
private struct LogSum {
    private(set) var first: UInt32
    private(set) var second: UInt32
    private let isBigEndian: Bool

    init(_ first: UInt32, _ second: UInt32, isBigEndian: Bool) {
        self.first = first
        self.second = second
        self.isBigEndian = isBigEndian
    }

    /// The length of `bytes` must be a multiple of eight.
    mutating func add(_ bytes: UnsafeRawBufferPointer) {
        for offset in stride(from: 0, to: bytes.count, by: 8) {
            first &+= word(bytes, offset) &+ second
            second &+= word(bytes, offset + 4) &+ first
        }
    }

    private func word(_ bytes: UnsafeRawBufferPointer, _ offset: Int) -> UInt32 {
        let raw = bytes.loadUnaligned(fromByteOffset: offset, as: UInt32.self)
        return isBigEndian ? UInt32(bigEndian: raw) : UInt32(littleEndian: raw)
    }
}

extension UnsafeMutableRawBufferPointer {
    fileprivate func big(_ offset: Int) -> UInt32 { UnsafeRawBufferPointer(self).big(offset) }
}

extension UnsafeRawBufferPointer {
    fileprivate func big(_ offset: Int) -> UInt32 {
        UInt32(bigEndian: loadUnaligned(fromByteOffset: offset, as: UInt32.self))
    }
}

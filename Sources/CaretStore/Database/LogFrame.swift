/// A frame of SQLite's log, in the form that its documentation of the file format has: a header of 24 bytes and a page,
/// behind a header of the log of 32 bytes. A frame's sum goes over its page, and on from the sum of the frame before.
struct LogFrame {
    private static let logHeader: Int64 = 32
    private static let header: Int64 = 24
    private static let size = header + Int64(PageSums.pageSize)

    private let start: Int64

    /// The frame whose page is read by so many bytes from an offset; nil where that is no page of a frame.
    init?(ofPage count: Int32, at offset: Int64) {
        start = offset - LogFrame.header
        guard count == Int32(PageSums.pageSize), start >= LogFrame.logHeader,
            (start - LogFrame.logHeader) % LogFrame.size == 0
        else { return nil }
    }

    /// Whether a page is the one that the frame was written with. `read` fills a buffer from an offset of the log.
    func isSound(
        _ page: UnsafeRawBufferPointer, read: (UnsafeMutableRawBufferPointer, Int64) -> Bool
    ) -> Bool {
        withUnsafeTemporaryAllocation(byteCount: 40, alignment: 8) { bytes in
            let own = UnsafeMutableRawBufferPointer(rebasing: bytes[0..<24])
            let before = UnsafeMutableRawBufferPointer(rebasing: bytes[24..<32])
            let magic = UnsafeMutableRawBufferPointer(rebasing: bytes[32..<36])
            // The sums are the last eight bytes of a header.
            let isFirst = start == LogFrame.logHeader
            let sums = isFirst ? start - 8 : start - LogFrame.size + LogFrame.header - 8
            guard read(own, start), read(before, sums), read(magic, 0) else { return false }
            // The last bit of the log's first number says in which order of bytes the sums were made.
            var sum = LogSum(
                before.big(0), before.big(4), isBigEndian: magic.big(0) & 1 == 1)
            sum.take(UnsafeRawBufferPointer(rebasing: own[0..<8]))
            sum.take(page)
            return sum.first == own.big(16) && sum.second == own.big(20)
        }
    }
}

/// The sum that SQLite makes over its log.
private struct LogSum {
    private(set) var first: UInt32
    private(set) var second: UInt32
    private let isBigEndian: Bool

    init(_ first: UInt32, _ second: UInt32, isBigEndian: Bool) {
        self.first = first
        self.second = second
        self.isBigEndian = isBigEndian
    }

    /// `bytes` are a multiple of eight.
    mutating func take(_ bytes: UnsafeRawBufferPointer) {
        for place in stride(from: 0, to: bytes.count, by: 8) {
            first &+= word(bytes, place) &+ second
            second &+= word(bytes, place + 4) &+ first
        }
    }

    private func word(_ bytes: UnsafeRawBufferPointer, _ place: Int) -> UInt32 {
        let raw = bytes.loadUnaligned(fromByteOffset: place, as: UInt32.self)
        return isBigEndian ? UInt32(bigEndian: raw) : UInt32(littleEndian: raw)
    }
}

extension UnsafeMutableRawBufferPointer {
    fileprivate func big(_ place: Int) -> UInt32 {
        UInt32(bigEndian: loadUnaligned(fromByteOffset: place, as: UInt32.self))
    }
}

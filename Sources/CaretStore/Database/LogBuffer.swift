/// Collects what SQLite writes to its write-ahead log. SQLite writes each frame of a commit in two adjacent
/// pieces. One large write to the file costs a fraction of many small ones.
///
/// One buffer belongs to one open file.
package struct LogBuffer: ~Copyable {
    /// SQLite's own VFS writes less than 128 KiB at a time, so a larger buffer would gain nothing.
    private static let room = 120 << 10

    private let bytes = UnsafeMutableRawBufferPointer.allocate(byteCount: LogBuffer.room, alignment: 8)
    private var start: Int64 = 0
    private var count = 0

    package init() {}

    deinit { bytes.deallocate() }

    /// Adds a piece if it continues the buffer and fits. Returns whether the piece was added.
    package mutating func append(_ piece: UnsafeRawBufferPointer, at offset: Int64) -> Bool {
        if count == 0 { start = offset }
        guard offset == start + Int64(count), piece.count <= bytes.count - count else { return false }
        UnsafeMutableRawBufferPointer(rebasing: bytes[count...]).copyMemory(from: piece)
        count += piece.count
        return true
    }

    /// Calls `write` with the whole content, and returns its SQLite code. The buffer is empty afterwards. If
    /// `write` failed, the caller must write the pieces again.
    package mutating func flush(_ write: (UnsafeRawBufferPointer, Int64) -> Int32) -> Int32 {
        defer { count = 0 }
        return write(UnsafeRawBufferPointer(rebasing: bytes[..<count]), start)
    }

    package var isEmpty: Bool { count == 0 }
}

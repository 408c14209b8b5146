/// What SQLite has written to its log and the file has not got yet. It writes each frame of a commit in two pieces, one
/// behind the other; handed on together they cost a fraction.
///
/// Of one open file.
package struct LogBuffer: ~Copyable {
    /// SQLite's own layer takes less than 128 KiB at a time.
    private static let room = 120 << 10

    private let bytes = UnsafeMutableRawBufferPointer.allocate(byteCount: LogBuffer.room, alignment: 8)
    private var start: Int64 = 0
    private var count = 0

    package init() {}

    deinit { bytes.deallocate() }

    /// Takes what stands behind the rest and has room; whether it did.
    package mutating func take(_ piece: UnsafeRawBufferPointer, at offset: Int64) -> Bool {
        if count == 0 { start = offset }
        guard offset == start + Int64(count), piece.count <= bytes.count - count else { return false }
        UnsafeMutableRawBufferPointer(rebasing: bytes[count...]).copyMemory(from: piece)
        count += piece.count
        return true
    }

    /// Gives everything to `write`, which answers with SQLite's code. Where that fails, whoever hears of it writes anew.
    package mutating func handOn(_ write: (UnsafeRawBufferPointer, Int64) -> Int32) -> Int32 {
        defer { count = 0 }
        return write(UnsafeRawBufferPointer(rebasing: bytes[..<count]), start)
    }

    package var isEmpty: Bool { count == 0 }
}

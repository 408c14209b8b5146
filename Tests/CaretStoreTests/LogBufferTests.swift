import CaretStore
import Testing

@Suite("Buffering the log until it is synced") struct LogBufferTests {
    @Test(
        "adjacent pieces are written as one piece, up to the buffer size")
    func pieces() {
        var buffer = LogBuffer()
        #expect(append(32, 1, at: 0, &buffer) && append(24, 2, at: 32, &buffer))
        #expect(!append(24, 3, at: 57, &buffer), "a gap")
        #expect(!append(24, 3, at: 0, &buffer), "written over")
        #expect(!append(120 << 10, 3, at: 56, &buffer), "too long")
        let isKept = !buffer.isEmpty
        #expect(isKept)
        let code = buffer.flush { bytes, offset in
            #expect(bytes.elementsEqual([UInt8](repeating: 1, count: 32) + [UInt8](repeating: 2, count: 24)))
            #expect(offset == 0)
            return 13
        }
        // The buffer drops the pieces of a failed write: SQLite gets the error, and writes them again.
        let isGone = buffer.isEmpty
        #expect(code == 13 && isGone)
        #expect(append(120 << 10, 3, at: 57, &buffer))
    }

    private func append(_ count: Int, _ byte: UInt8, at offset: Int64, _ buffer: inout LogBuffer) -> Bool {
        [UInt8](repeating: byte, count: count).withUnsafeBytes { buffer.append($0, at: offset) }
    }
}

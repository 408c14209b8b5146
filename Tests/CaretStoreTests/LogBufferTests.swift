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
        // If a write fails, the buffer drops its pieces. SQLite gets the error, and later writes these pieces
        // again.
        let isGone = buffer.isEmpty
        #expect(code == 13 && isGone)
        #expect(append(120 << 10, 3, at: 57, &buffer))
    }

    @Test("the frames of a commit are written together, and not one by one")
    func commits() throws {
        let scratch = try Scratch.inMemory()
        defer { scratch.remove() }
        let outcome = try FaultyRun(seed: 3, rounds: 30).outcome(in: scratch)
        #expect(outcome.end.status == 0)
        var (end, isFull, writes, repeats) = (-1, true, 0, 0)
        for entry in outcome.trace.entries where entry.kind != .beside {
            let isLogWrite = entry.kind == .wrote && entry.file == FaultTrace.log
            if isLogWrite {
                writes += 1
                // A write that continues the one before it is needed only if the buffer was full.
                if entry.offset == end, !isFull { repeats += 1 }
                isFull = entry.bytes.count > 110 << 10
            }
            end = isLogWrite ? entry.offset + entry.bytes.count : -1
        }
        #expect(writes > 20 && repeats == 0, "\(repeats) of \(writes) writes")
    }

    private func append(_ count: Int, _ byte: UInt8, at offset: Int64, _ buffer: inout LogBuffer) -> Bool {
        [UInt8](repeating: byte, count: count).withUnsafeBytes { buffer.append($0, at: offset) }
    }
}

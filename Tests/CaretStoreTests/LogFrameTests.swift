import CaretStore
import Foundation
import Testing

@Suite("The checksums of the write-ahead log") struct LogFrameTests {
    @Test("each changed byte of a frame is reported, in both byte orders", arguments: [false, true])
    func changedBytes(isBigEndian: Bool) throws {
        let scratch = try Scratch.inMemory()
        defer { scratch.remove() }
        do {
            let writer = try DataFolder(scratch.path).openForWriting()
            for number in 1...3 { try writer.execute("PRAGMA user_version = \(number)") }
            writer.keepLog(true)
        }
        let log = scratch.file("caret.sqlite-wal")
        var bytes = [UInt8](try Data(contentsOf: log))
        LogBytes.sign(&bytes, isBigEndian: isBigEndian)
        try Data(bytes).write(to: log)
        // While this connection is open, SQLite does not check the log again.
        let first = try Database(path: scratch.databasePath, for: .read)
        #expect(try version(first) == 3)
        let start = bytes.count - LogBytes.frame
        // Damage, one at a time, the first eight bytes of the frame, the bytes of its checksum, and some
        // bytes of its page.
        for offset in Array(0..<8) + Array(16..<24) + [24, 25, 1000, 4095, 4116, 4119] {
            try overwrite(log, at: start + offset, with: bytes[start + offset] ^ 1)
            #expect(throws: DatabaseFault.self, "byte \(offset)") {
                try version(Database(path: scratch.databasePath, for: .read))
            }
            try overwrite(log, at: start + offset, with: bytes[start + offset])
        }
        #expect(try version(Database(path: scratch.databasePath, for: .read)) == 3)
        withExtendedLifetime(first) {}
    }

    private func version(_ database: Database) throws -> Int64? {
        try database.first("PRAGMA user_version") { $0.integer(0) }
    }

    private func overwrite(_ file: URL, at offset: Int, with byte: UInt8) throws {
        let handle = try FileHandle(forUpdating: file)
        try handle.seek(toOffset: UInt64(offset))
        try handle.write(contentsOf: [byte])
        try handle.close()
    }
}

/// A write-ahead log, in the format that SQLite documents.
private enum LogBytes {
    static let frame = 24 + PageSums.pageSize

    /// Gives every header the checksum in this byte order, as if another machine had written the log.
    static func sign(_ bytes: inout [UInt8], isBigEndian: Bool) {
        bytes[3] = bytes[3] & 0xFE | (isBigEndian ? 1 : 0)
        var sum: (UInt32, UInt32) = (0, 0)
        add(bytes[0..<24], to: &sum, isBigEndian)
        store(sum, at: 24, in: &bytes)
        for start in stride(from: 32, to: bytes.count, by: frame) {
            add(bytes[start..<start + 8], to: &sum, isBigEndian)
            add(bytes[(start + 24)..<(start + frame)], to: &sum, isBigEndian)
            store(sum, at: start + 16, in: &bytes)
        }
    }

    private static func add(_ bytes: ArraySlice<UInt8>, to sum: inout (UInt32, UInt32), _ isBigEndian: Bool) {
        for offset in stride(from: bytes.startIndex, to: bytes.endIndex, by: 8) {
            sum.0 &+= word(bytes[offset..<offset + 4], isBigEndian) &+ sum.1
            sum.1 &+= word(bytes[(offset + 4)..<(offset + 8)], isBigEndian) &+ sum.0
        }
    }

    private static func word(_ bytes: ArraySlice<UInt8>, _ isBigEndian: Bool) -> UInt32 {
        let ordered = isBigEndian ? Array(bytes) : bytes.reversed()
        return ordered.reduce(0) { $0 << 8 | UInt32($1) }
    }

    /// The checksums themselves are always stored big-endian.
    private static func store(_ sum: (UInt32, UInt32), at offset: Int, in bytes: inout [UInt8]) {
        for (index, number) in [sum.0, sum.1].enumerated() {
            for byte in 0..<4 {
                bytes[offset + 4 * index + byte] = UInt8(truncatingIfNeeded: number >> UInt32(24 - 8 * byte))
            }
        }
    }
}

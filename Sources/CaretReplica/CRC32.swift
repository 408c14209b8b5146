package import CaretCore

/// The CRC-32 of zlib and PNG, which `check` messages contain: reflected, polynomial 0xEDB88320.
struct CRC32 {
    private let table: [UInt32]
    private var register: UInt32 = .max

    // The table is built for each checksum. Building takes 2 µs, and checksums are rare.
    init() {
        var table: [UInt32] = []
        table.reserveCapacity(256)
        for byte in 0..<UInt32(256) {
            var entry = byte
            for _ in 0..<8 { entry = entry >> 1 ^ (entry & 1 == 0 ? 0 : 0xEDB8_8320) }
            table.append(entry)
        }
        self.table = table
    }

    mutating func add(_ bytes: UnsafeBufferPointer<UInt8>) {
        var sum = register
        for byte in bytes { sum = sum >> 8 ^ table[Int((sum ^ UInt32(byte)) & 0xFF)] }
        register = sum
    }

    var value: UInt32 { ~register }
}

extension TextBuffer {
    /// The CRC-32 of the text as UTF-8.
    package var crc32: UInt32 {
        var sum = CRC32()
        forEachPiece { sum.add($0) }
        return sum.value
    }
}

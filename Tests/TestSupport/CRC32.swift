package import CaretCore

/// A simple CRC-32 (IEEE 802.3) of a text's UTF-8.
package func crc32(of text: TextBuffer) -> UInt32 {
    var sum: UInt32 = 0xFFFF_FFFF
    text.forEachPiece { piece in
        for byte in piece {
            sum = crcTable[Int((sum ^ UInt32(byte)) & 0xFF)] ^ sum >> 8
        }
    }
    return ~sum
}

private let crcTable: [UInt32] = (0..<256).map { index in
    (0..<8).reduce(UInt32(index)) { sum, _ in sum & 1 == 1 ? 0xEDB8_8320 ^ sum >> 1 : sum >> 1 }
}

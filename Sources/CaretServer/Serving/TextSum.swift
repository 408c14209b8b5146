import CZlib
package import CaretCore

extension TextBuffer {
    /// The CRC-32 of the text in UTF-8, as sent in `check`.
    package var crc32: UInt32 {
        var sum = UInt(0)
        forEachPiece { sum = CZlib.crc32(sum, $0.baseAddress, UInt32($0.count)) }
        return UInt32(sum)
    }
}

import CaretCore
import CaretReplica

extension Text {
    /// The CRC-32 of the UTF-8, as clients find it.
    var crc32: UInt32 { TextCheck(of: self).crc32 }
}

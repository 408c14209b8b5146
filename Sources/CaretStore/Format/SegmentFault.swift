/// Why stored bytes are not a segment. The document is damaged.
package enum SegmentFault: Error, Equatable, Sendable {
    /// A later version of the format wrote the bytes.
    case unknownVersion(UInt8)
    /// The bytes end too early.
    case cutOff
    /// Bytes follow the last change.
    case excess
    /// A number is outside its range.
    case badNumber
    /// The text of an edit is not UTF-8, or has a carriage return.
    case badText
    /// The store has no pusher with this number.
    case unknownAuthor(Int64)
    /// zlib refused the bytes with this code, or they do not have the stored length.
    case notInflated(Int32)
}

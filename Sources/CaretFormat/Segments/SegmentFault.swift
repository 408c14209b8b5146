/// Why stored bytes are not a segment. In each case, the document is damaged.
package enum SegmentFault: Error, Equatable, Sendable {
    /// A later version of the format wrote the bytes.
    case unknownVersion(UInt8)
    /// The bytes end too early.
    case truncated
    /// Bytes follow the last change.
    case trailingBytes
    /// A number is outside its range.
    case numberOutOfRange
    /// The text of an edit is not UTF-8, or has a carriage return.
    case invalidText
    /// The store has no pusher with this number.
    case unknownAuthor(Int64)
    /// zlib refused the bytes with this code, or they do not have the stored length.
    case decompressionFailed(Int32)
}

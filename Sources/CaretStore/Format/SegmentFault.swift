/// Why stored bytes are not a segment: the document is damaged.
package enum SegmentFault: Error, Equatable, Sendable {
    /// Written by a later version of the format.
    case unknownVersion(UInt8)
    /// The bytes end too early.
    case cutOff
    /// There are bytes behind the last change.
    case excess
    /// A number that cannot be.
    case badNumber
    /// An edit that cannot be: no UTF-8, or a carriage return.
    case badText
    /// A pusher that the store does not know.
    case unknownAuthor(Int64)
    /// zlib refused the bytes, with its code, or found more or less than was said.
    case notInflated(Int32)
}

public import CaretCore

/// Which history of a document its revision numbers count in: opaque, and told by the server.
public struct Epoch: Equatable, Sendable {
    // Bytes: strings would be compared by canonical equivalence.
    public let utf8: [UInt8]

    public init(_ string: String) { utf8 = Array(string.utf8) }
}

/// The server's id of one connection's presence in one document.
public struct SessionID: Equatable, Sendable {
    public let utf8: [UInt8]

    public init(_ string: String) { utf8 = Array(string.utf8) }
}

/// A document's name.
public struct DocumentName: Equatable, Sendable {
    public let utf8: [UInt8]

    public init(_ string: String) { utf8 = Array(string.utf8) }
}

/// The number of a push, which names it together with user, client and document. It grows with every new push.
public struct Seq: Comparable, Hashable, Sendable {
    public let value: Int64

    /// The largest integer that the wire carries.
    public static let last = Seq((1 << 53) - 1)

    public init(_ value: Int64) { self.value = value }

    /// The number after this one; the last one is its own successor, which the server refuses as used.
    package var next: Seq { self < Seq.last ? Seq(value + 1) : Seq.last }

    public static func < (left: Seq, right: Seq) -> Bool { left.value < right.value }
}

extension Seq: ExpressibleByIntegerLiteral {
    public init(integerLiteral value: Int64) { self.init(value) }
}

/// A revision and the history it counts in.
public struct Place: Equatable, Sendable {
    public let epoch: Epoch
    public let revision: Revision

    public init(epoch: Epoch, revision: Revision) {
        self.epoch = epoch
        self.revision = revision
    }
}

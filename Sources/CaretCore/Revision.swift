/// The number of changes committed to a document. Revision 0 is the empty text.
public struct Revision: Comparable, Hashable, Sendable {
    public let value: Int

    public init(_ value: Int) { self.value = value }

    /// The revision that the next committed change creates.
    public var next: Revision { Revision(value + 1) }

    public static func < (left: Revision, right: Revision) -> Bool { left.value < right.value }
}

extension Revision: ExpressibleByIntegerLiteral {
    public init(integerLiteral value: Int) { self.init(value) }
}

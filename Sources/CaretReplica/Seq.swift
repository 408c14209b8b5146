/// The number of a push, which names it together with user, client and document. It grows with every new push.
// 64 bits: in a browser `Int` has 32, and the wire carries integers up to 2^53 - 1.
package struct Seq: Comparable, Hashable, Sendable {
    package let value: Int64

    /// The largest integer that the wire carries.
    package static let last = Seq((1 << 53) - 1)

    package init(_ value: Int64) { self.value = value }

    /// The number after this one; the last one is its own successor, which the server refuses as used.
    package var next: Seq { self < Seq.last ? Seq(value + 1) : Seq.last }

    package static func < (left: Seq, right: Seq) -> Bool { left.value < right.value }
}

extension Seq: ExpressibleByIntegerLiteral {
    package init(integerLiteral value: Int64) { self.init(value) }
}

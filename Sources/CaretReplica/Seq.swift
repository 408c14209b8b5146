/// The number of a push. Together with user, client and document it identifies the push. Each new push has a
/// higher number.
// The value has 64 bits, because `Int` has 32 bits in a browser, and the wire allows integers up to 2^53 - 1.
package struct Seq: Comparable, Hashable, Sendable {
    package let value: Int64

    /// The largest integer that the wire allows.
    // In WebAssembly, `Int` has 32 bits, which are too few for this number.
    package static let last = Seq((Int64(1) << 53) - 1)

    package init(_ value: Int64) { self.value = value }

    /// The number after this one. After the last number, the result is the same number again, and the server
    /// refuses it as reused.
    package var next: Seq { self < Seq.last ? Seq(value + 1) : Seq.last }

    package static func < (left: Seq, right: Seq) -> Bool { left.value < right.value }
}

extension Seq: ExpressibleByIntegerLiteral {
    package init(integerLiteral value: Int64) { self.init(value) }
}

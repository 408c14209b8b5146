/// A span of time.
package struct Milliseconds: Comparable, Hashable, Sendable {
    package let value: Int

    package init(_ value: Int) { self.value = value }

    package static func < (left: Milliseconds, right: Milliseconds) -> Bool { left.value < right.value }
}

extension Milliseconds: ExpressibleByIntegerLiteral {
    package init(integerLiteral value: Int) { self.init(value) }
}

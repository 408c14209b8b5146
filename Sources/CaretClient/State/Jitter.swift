package import CaretReplica

/// A number from 0 to below 1 that nobody can foresee: who has been cut off together must not come back together.
package struct Luck: Equatable, Sendable {
    let value: Double

    package init(_ value: Double) { self.value = value }

    /// From half of a span to all of it.
    package func share(of span: Milliseconds) -> Milliseconds {
        Milliseconds(span.value / 2 + Int(value * Double(span.value - span.value / 2)))
    }
}

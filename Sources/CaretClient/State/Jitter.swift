package import CaretReplica

/// A random number from 0 to below 1. It spreads reconnects: clients that lost their connections together
/// must not all come back at the same time.
package struct Jitter: Equatable, Sendable {
    let value: Double

    package init(_ value: Double) { self.value = value }

    /// Shortens a delay by at most one half.
    package func applied(to span: Milliseconds) -> Milliseconds {
        Milliseconds(span.value / 2 + Int(value * Double(span.value - span.value / 2)))
    }
}

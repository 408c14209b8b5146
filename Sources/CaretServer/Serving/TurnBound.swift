import Synchronization

/// A value that only the one whose turn it is touches.
// @unchecked: nobody enters while another is inside, which is checked, and what one did is seen by the next.
final class TurnBound<Value>: @unchecked Sendable {
    private let isTaken = Atomic(false)
    private let bound: Value

    init(_ value: sending Value) { bound = value }

    func turn<Answer>(_ body: (Value) -> Answer) -> Answer {
        precondition(!isTaken.exchange(true, ordering: .acquiring), "two have one turn")
        defer { isTaken.store(false, ordering: .releasing) }
        return body(bound)
    }
}

/// A value that only one loop touches.
// @unchecked: whoever reads the value has the loop's sockets, which nobody but the loop has.
final class LoopBound<Value>: @unchecked Sendable {
    private let loop: LoopNumber
    private let bound: Value

    init(_ loop: LoopNumber, _ value: sending Value) {
        self.loop = loop
        bound = value
    }

    func value(on sockets: Sockets) -> Value {
        precondition(sockets.number == loop, "a value of loop \(loop) is touched by \(sockets.number)")
        return bound
    }
}

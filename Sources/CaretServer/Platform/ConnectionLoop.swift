/// A loop as the shells see it: it serves connections in turns, and does what others post in between.
package protocol ConnectionLoop: AnyObject, Sendable {
    /// Has the job done in one of the next turns, in the order of posting. False where the loop has stopped: the job is
    /// not done then.
    @discardableResult func send(_ job: @escaping @Sendable (any LoopContext) -> Void) -> Bool
}

/// What the code on a loop has, and no other code: it proves that it runs there.
package protocol LoopContext: AnyObject {
    var number: LoopNumber { get }
    /// The moment at which this turn began.
    var now: Moment { get }
    /// Called after the events of a turn, before anything is written, and once more at its end.
    var behindEvents: (() -> Void)? { get set }
}

/// A connection as its handler sees it. Orders to a connection that is over do nothing.
package protocol ConnectionPort: AnyObject {
    var loop: any LoopContext { get }
    /// When the handler is to be called. Nil for never.
    var deadline: Moment? { get set }
    /// Has the bytes written after all that were sent before, at the end of the turn.
    func send(_ payload: Payload)
    /// Reads nothing more until reading is resumed, so that the other side must wait.
    func pauseReading()
    func resumeReading()
    /// Writes what waits, and then tells the other side that no more comes. What it sends is still read.
    func endOutput()
    /// Ends it at once. What waits is given up.
    func close()
}

extension Loop: ConnectionLoop {
    package func send(_ job: @escaping @Sendable (any LoopContext) -> Void) -> Bool { post(job) }
}

extension Sockets: LoopContext {}

extension Connection: ConnectionPort {
    package var loop: any LoopContext { sockets }
}

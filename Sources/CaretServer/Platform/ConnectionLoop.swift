/// A loop as the shells see it: serves connections in turns, and runs posted jobs in between.
package protocol ConnectionLoop: AnyObject, Sendable {
    /// Runs the job in one of the next turns, in the order of posting. Returns false, and drops the job, if
    /// the loop has stopped.
    @discardableResult func send(_ job: @escaping @Sendable (any LoopContext) -> Void) -> Bool
}

/// Only code on a loop has its context. So it proves that the code runs there.
package protocol LoopContext: AnyObject {
    var number: LoopNumber { get }
    /// When this turn began.
    var now: Moment { get }
    /// Called after the events of a turn, before anything is written, and again at the end of the turn.
    var behindEvents: (() -> Void)? { get set }
}

/// A connection as its handler sees it. Orders to a closed connection do nothing.
package protocol ConnectionPort: AnyObject {
    var loop: any LoopContext { get }
    /// When to call the handler; nil for never.
    var deadline: Moment? { get set }
    /// Writes the bytes after all bytes that were sent before, at the end of the turn.
    func send(_ payload: Payload)
    /// Stops reading until reading is resumed, so that the other side must wait.
    func pauseReading()
    func resumeReading()
    /// Writes the queue, and then closes the sending side. Input is still read.
    func endOutput()
    /// Ends the connection at once, and drops the queue.
    func close()
}

extension Loop: ConnectionLoop {
    package func send(_ job: @escaping @Sendable (any LoopContext) -> Void) -> Bool { post(job) }
}

extension Sockets: LoopContext {}

extension Connection: ConnectionPort {
    package var loop: any LoopContext { sockets }
}

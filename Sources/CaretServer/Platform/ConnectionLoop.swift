package import CaretRooms
package import CaretTLS

/// An event loop: serves connections and runs posted jobs, in turns. Implemented by `Loop` and by the
/// simulation.
package protocol ConnectionLoop: AnyObject, Sendable {
    /// Runs the job in this turn or a later one, in the order of posting. Returns false, and drops the job,
    /// if the loop has stopped.
    @discardableResult func send(_ job: @escaping @Sendable (any LoopContext) -> Void) -> Bool
}

/// Only code on a loop has the loop's context. So the context proves that the code runs there.
package protocol LoopContext: AnyObject {
    var number: LoopNumber { get }
    /// When this turn began.
    var now: Moment { get }
    /// Called twice in a turn: once after the turn's events and before its writes, and once at the end of the
    /// turn.
    var afterEvents: (() -> Void)? { get set }
    /// Runs the job in the first turn after this moment.
    func run(at moment: Moment, _ job: @escaping @Sendable (any LoopContext) -> Void)
}

/// What a connection offers its handler. Calls on a closed connection do nothing.
package protocol ConnectionPort: AnyObject {
    var loop: any LoopContext { get }
    /// The time at which the handler's `deadlinePassed` is called; nil for never.
    var deadline: Moment? { get set }
    /// Queues the bytes. They are written at the end of the turn, after all bytes that were queued earlier.
    func send(_ payload: Payload)
    /// Stops reading until `resumeReading`, so that the peer must wait.
    func pauseReading()
    func resumeReading()
    /// Closes the sending side after all queued bytes are written. Input is still read.
    func endOutput()
    /// Closes the connection at once, and drops the queued bytes.
    func close()
    /// Begins TLS. The handshake begins with the bytes that the handler does not accept in its current call
    /// of `received`. All later input and output is encrypted. Call this only in `received`, and only once.
    func startTLS(_ context: TLSServerContext)
    /// What ALPN agreed on; nil without TLS, or if the peer did not use ALPN.
    var agreedProtocol: ApplicationProtocol? { get }
}

extension Loop: ConnectionLoop {
    package func send(_ job: @escaping @Sendable (any LoopContext) -> Void) -> Bool { post(job) }
}

extension Sockets: LoopContext {}

extension Connection: ConnectionPort {
    package var loop: any LoopContext { sockets }
}

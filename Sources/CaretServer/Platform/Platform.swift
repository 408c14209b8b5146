/// The threads, sockets and clocks that a server uses. The simulation provides its own.
package struct Platform {
    package typealias Block = @Sendable () -> Void

    let clock: ServerClock
    /// Makes a loop. The loop calls the closure for each connection that it had to refuse.
    let makeLoop:
        (LoopNumber, _ refused: @escaping @Sendable (any LoopContext) -> Void) throws(SystemFault)
            -> any ConnectionLoop
    let makeQueue: (_ label: String) -> any WorkQueue
    /// Runs a block in the background, in parallel to all queues.
    let runInBackground: @Sendable (@escaping Block) -> Void

    package init(
        clock: ServerClock,
        makeLoop:
            @escaping (LoopNumber, @escaping @Sendable (any LoopContext) -> Void) throws(SystemFault)
            -> any ConnectionLoop,
        makeQueue: @escaping (String) -> any WorkQueue,
        runInBackground: @escaping @Sendable (@escaping Block) -> Void
    ) {
        self.clock = clock
        self.makeLoop = makeLoop
        self.makeQueue = makeQueue
        self.runInBackground = runInBackground
    }
}

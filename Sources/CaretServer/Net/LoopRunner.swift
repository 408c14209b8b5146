/// Runs the turns of a loop, and sleeps when there is no work. Confined to the loop's queue, which runs one
/// block until the loop stops.
final class LoopRunner {
    private enum State {
        case running
        case stopping(then: @Sendable () -> Void)
        case stopped
    }

    private let sockets: Sockets
    private let mailbox: Mailbox
    private var state = State.running

    init(_ sockets: Sockets, _ mailbox: Mailbox) {
        self.sockets = sockets
        self.mailbox = mailbox
    }

    /// Runs turns until the loop is stopped. Returns a closure with the final actions.
    func run() -> @Sendable () -> Void {
        while true {
            if case .stopping(let completion) = state {
                state = .stopped
                sockets.stop()
                return completion
            }
            // A job that is posted after this call wakes the loop, so no job is missed.
            let maySleep = !sockets.hasWork && mailbox.maySleep()
            sockets.turn(maySleep ? .untilEvent : .none)
        }
    }

    /// Stops after the current turn.
    func stop(then completion: @escaping @Sendable () -> Void) {
        guard case .running = state else { preconditionFailure("a loop is stopped twice") }
        state = .stopping(then: completion)
    }
}

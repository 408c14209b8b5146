/// Takes a loop's turns, one after the other, and sleeps in between when there is nothing to do. Confined to the loop's
/// queue, of which it is the one block that runs until the loop stops.
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

    /// Takes turns until it is told to stop, and answers with what is to be done then.
    func run() -> @Sendable () -> Void {
        while true {
            if case .stopping(let completion) = state {
                state = .stopped
                sockets.stop()
                return completion
            }
            // A job that comes from here on wakes the loop: none is overlooked.
            let maySleep = !sockets.hasWork && mailbox.maySleep()
            sockets.turn(maySleep ? .asLongAsItTakes : .not)
        }
    }

    /// Stops after the turn that it is called in.
    func stop(then completion: @escaping @Sendable () -> Void) {
        guard case .running = state else { preconditionFailure("a loop is stopped twice") }
        state = .stopping(then: completion)
    }
}

@preconcurrency import Dispatch
import Glibc

/// Takes a loop's turns for as long as there is something to do, and has Dispatch wait for the next. Confined to the
/// loop's queue.
final class LoopRunner {
    private enum State {
        case running
        case stopping(then: @Sendable () -> Void)
        case stopped
    }

    private let sockets: Sockets
    private let mailbox: Mailbox
    private let linger: Int32
    private let source: any DispatchSourceRead
    private let timer: any DispatchSourceTimer
    /// For when the timer is set.
    private var alarm: Moment?
    private var state = State.running

    init(_ sockets: Sockets, _ mailbox: Mailbox, _ queue: DispatchQueue) {
        self.sockets = sockets
        self.mailbox = mailbox
        linger = Int32(sockets.settings.lingerMilliseconds)
        source = DispatchSource.makeReadSource(fileDescriptor: sockets.descriptor, queue: queue)
        timer = DispatchSource.makeTimerSource(queue: queue)
    }

    /// `run` is called whenever there may be something to do.
    func begin(_ run: @escaping @Sendable () -> Void) {
        source.setEventHandler(handler: run)
        timer.setEventHandler(handler: run)
        source.activate()
        timer.activate()
        run()
    }

    /// Takes turns until there is nothing to do.
    func run() {
        while true {
            switch state {
            case .running: break
            case .stopping(let completion): return end(then: completion)
            case .stopped: return
            }
            let mayRest = !sockets.hasWork && mailbox.mayFallAsleep()
            let worked = sockets.turn(waiting: mayRest ? linger : 0)
            // A job that came after the turn finds the loop awake or wakes it: none is overlooked.
            if !worked, mayRest, mailbox.mayFallAsleep() { return setTimer() }
        }
    }

    /// Stops after the turn that it is called in.
    func stop(then completion: @escaping @Sendable () -> Void) {
        guard case .running = state else { preconditionFailure("a loop is stopped twice") }
        state = .stopping(then: completion)
    }

    private func setTimer() {
        if let alarm, alarm <= sockets.now { self.alarm = nil }
        guard let next = sockets.nextDeadline, next != alarm else { return }
        alarm = next
        timer.schedule(
            deadline: DispatchTime(uptimeNanoseconds: next.nanoseconds), leeway: .milliseconds(2))
    }

    private func end(then completion: @escaping @Sendable () -> Void) {
        state = .stopped
        sockets.stop()
        timer.cancel()
        let descriptor = sockets.descriptor
        // Dispatch watches the descriptor until then.
        source.setCancelHandler {
            close(descriptor)
            completion()
        }
        source.cancel()
    }
}

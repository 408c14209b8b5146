import CaretLog
import CaretRooms
import Synchronization

/// Feeds the hub its events, and runs its actions. Confined to the turns of the hub's queue.
package final class HubRunner: JobWorker {
    package typealias Job = HubJob

    private var state: HubState
    private let switchboard: Switchboard
    private let timer: QueueTimer
    /// When the state wants to be called. Only its last request counts.
    private var wake: Int64?
    /// Called once the last connection has ended.
    private var finished: (@Sendable () -> Void)?

    init(_ switchboard: Switchboard) {
        self.switchboard = switchboard
        let settings = switchboard.connectionSettings
        state = HubState(
            limits: settings.limits, at: switchboard.clock.now, publicClient: settings.publicClient)
        let inbox = switchboard.hub
        timer = QueueTimer(on: inbox.queue) { [weak inbox] in inbox?.enqueue(.event(.timePassed)) }
    }

    package func run(_ jobs: [HubJob]) {
        for job in jobs { perform(job) }
        timer.set(for: wake.map { switchboard.clock.moment(of: $0) })
    }

    private func perform(_ job: HubJob) {
        switch job {
        case .event(let event):
            if case .timePassed = event { timer.passed() }
            feed(event)
        case .shutDown(let completion):
            finished = completion
            feed(.shutDown(retryAfterMilliseconds: nil))
        }
    }

    private func feed(_ event: HubEvent) {
        let time = switchboard.clock.now
        // Compares times instead of waiting for the timer, because any event may bring the time that the
        // state waits for. What the state requests then must survive the timer's own event, which comes
        // later.
        if let wake, wake <= time { self.wake = nil }
        run(state.handle(event, at: time))
        switchboard.observer?.saw(state)
    }

    private func run(_ actions: [HubAction]) {
        for action in actions {
            switch action {
            case .tell(let connection, let news): switchboard.send(.told(news), to: connection)
            case .call(let id, let call): switchboard.make(call, id)
            case .makeRoom(let entry, let snapshot): switchboard.send(.make(entry, snapshot), to: entry.id)
            case .tellRoom(let document, let event): switchboard.send(.order(document, event), to: document)
            case .dropRoom(let document): switchboard.send(.drop(document), to: document)
            case .watchCommits(let watches):
                switchboard.watchesCommits.store(watches, ordering: .sequentiallyConsistent)
            case .wake(let time): wake = time
            case .finish:
                finished?()
                finished = nil
            }
        }
    }
}

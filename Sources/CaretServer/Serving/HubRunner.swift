import CaretConfig
import CaretLog
import CaretRooms
import CaretWire
import Synchronization

/// Passes events to the state of the hub, and runs the resulting actions. Confined to the turns of the hub's
/// queue.
package final class HubRunner: JobWorker {
    package typealias Job = HubJob

    private var state: HubState
    private let switchboard: Switchboard
    private let timer: QueueTimer
    private let counters: LocalCounters
    /// The time of the `wake` action that the state returned last.
    private var wake: Int64?
    /// Called once the last connection has ended.
    private var onFinish: (@Sendable () -> Void)?

    init(_ switchboard: Switchboard) {
        self.switchboard = switchboard
        let settings = switchboard.connectionSettings
        state = HubState(
            limits: settings.limits, at: switchboard.clock.now, sharesStore: switchboard.bus != nil,
            publicClient: settings.publicClient)
        counters = switchboard.board.makeCounters()
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
            onFinish = completion
            feed(.shutDown(retryAfterMilliseconds: nil))
        }
    }

    private func feed(_ event: HubEvent) {
        let time = switchboard.clock.now
        // Every event gives the state the current time. So if the wake time has passed, any event wakes the
        // state, and not only the event of the timer. `wake` is cleared here for all events: a late event of
        // the timer must not clear a newer wake time.
        if let wake, wake <= time { self.wake = nil }
        run(state.handle(event, at: time, wall: switchboard.clock.wall))
        switchboard.observer?.saw(state)
    }

    /// Counts a push that has created its document. Rooms count all other pushes.
    private func count(_ ack: Ack) {
        counters.add(to: .pushes)
        if !ack.unchanged { counters.add(to: .changes) }
    }

    private func run(_ actions: [HubAction]) {
        for action in actions {
            switch action {
            case .sendToConnection(let connection, let message):
                if message.changesRights { switchboard.texts.beginRightsChange() }
                if case .answered(let envelope) = message, case .ack(let ack) = envelope.message {
                    count(ack)
                }
                switchboard.send(.hubSent(message), to: connection)
            case .keepText(let text): switchboard.texts.add(text)
            case .encode(let id, let text, let version):
                let isTaken = switchboard.encoder.encode(
                    text, version, behindAtMost: TextEncoder.mostWaiting
                ) { [hub = switchboard.hub] in hub.enqueue(.event(.encoded(id, $0))) }
                if !isTaken { switchboard.hub.enqueue(.event(.encoded(id, nil))) }
            case .call(let id, let call): switchboard.make(call, id)
            case .administer(let id, let call): switchboard.administer(call, id)
            case .makeRoom(let loaded): switchboard.send(.makeRoom(loaded), to: loaded.entry.id)
            case .sendToRoom(let document, let event):
                switchboard.send(.hubEvent(document, event), to: document)
            case .dropRoom(let document): switchboard.send(.dropRoom(document), to: document)
            case .watchCommits(let watches):
                switchboard.watchesCommits.store(watches, ordering: .sequentiallyConsistent)
                switchboard.bus?.needAll(watches)
            case .needNews(let document, true): switchboard.bus?.opened(document)
            case .needNews(let document, false): switchboard.bus?.closed(document)
            case .publish(let notification): switchboard.bus?.publish([notification])
            case .report(let load): switchboard.bus?.report(switchboard.node.report(load))
            case .wake(let time): wake = time
            case .finish:
                onFinish?()
                onFinish = nil
            }
        }
    }
}

import CaretLog
import CaretRooms
import Synchronization

/// Feeds the hub its events, and runs the actions. Confined to the hub's queue.
final class HubRunner {
    private var state: HubState
    private let switchboard: Switchboard
    private let timer: QueueTimer
    /// When the state wants the time. It asks once, and its last wish holds.
    private var wake: Int64?
    /// To be called once the last connection has left.
    private var finished: (@Sendable () -> Void)?

    init(_ switchboard: Switchboard) {
        self.switchboard = switchboard
        let settings = switchboard.connectionSettings
        state = HubState(
            limits: settings.limits, at: switchboard.clock.now, publicClient: settings.publicClient)
        let inbox = switchboard.hub
        timer = QueueTimer(on: inbox.queue) { [weak inbox] in inbox?.enqueue(.timePassed) }
    }

    func run(_ jobs: [HubJob]) {
        for job in jobs {
            if case .timePassed = job { timer.passed() }
            let time = switchboard.clock.now
            // By time and not by the timer: any job may bring the state the time that it waits for. What it asks for
            // then must outlast the timer's own job, which comes later.
            if let wake, wake <= time { self.wake = nil }
            run(state.timePassed(time))
            perform(job)
        }
        timer.set(for: wake.map { switchboard.clock.moment(of: $0) })
    }

    private func perform(_ job: HubJob) {
        switch job {
        case .join(let joining): run(state.join(joining))
        case .ask(let request): run(state.ask(request))
        case .tookDocuments(let connection): run(state.tookDocuments(connection))
        case .left(let connection): run(state.left(connection))
        case .ended(let session): run(state.ended(session))
        case .fellBehind(let session, let isBehind): run(state.fellBehind(session, isBehind))
        case .answered(let id, let answer): run(state.answered(id, answer))
        case .progressed(let id, let progress): run(state.progressed(id, progress))
        case .unloadOffered(let document): run(state.unloadOffered(document))
        case .dropped(let document): run(state.dropped(document))
        case .kept(let document): run(state.kept(document))
        case .renamed(let document, let name, let result): run(state.renamed(document, to: name, result))
        case .deleted(let document, let refusal): run(state.deleted(document, refusal))
        case .pushesSettled(let connection): run(state.pushesSettled(of: connection))
        case .changed(let document): run(state.changed(document))
        case .epochsRenewed: run(state.epochsRenewed())
        case .shutDown(let completion):
            finished = completion
            run(state.shutDown(retryAfterMilliseconds: nil))
        case .timePassed: break
        }
    }

    private func run(_ actions: [HubAction]) {
        for action in actions {
            switch action {
            case .tell(let connection, let news): switchboard.send(.told(news), to: connection)
            case .call(let id, let call):
                switchboard.call(call, as: id) { [switchboard] in switchboard.hub.enqueue(.answered(id, $0)) }
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

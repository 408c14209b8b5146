import CaretCore
import CaretWire

/// A client that only watches: it applies every change literally to its own text, in its own unit.
final class Watcher: Program {
    private struct View {
        var position: WirePosition?
        var text = TextBuffer()
        /// The current name of the document, if the document is open or being opened.
        var name: WireString?
        var openRequest: RequestID?
        var isOpen = false
    }

    private unowned let machine: Machine
    private let squashes: Bool
    private var views: [View] = Plan.names.map { _ in View() }

    init(_ machine: Machine, squashes: Bool) {
        self.machine = machine
        self.squashes = squashes
    }

    private var world: World { machine.world }

    func welcomed() {
        for name in views.indices where views[name].name != nil { open(name) }
    }

    func lost() { for name in views.indices { (views[name].openRequest, views[name].isOpen) = (nil, false) } }

    private func open(_ at: Int, resumes: Bool = true) {
        let name = views[at].name ?? Names.documents[at]
        views[at].name = name
        if !machine.isWelcomed || views[at].openRequest != nil || views[at].isOpen { return }
        let resume = resumes ? views[at].position : nil
        views[at].openRequest = machine.send(
            .open(Open(document: name, resume: resume, mode: .watch, squash: squashes)), isAnswered: true)
    }

    func perform(_ operation: ClientOperation) {
        switch operation {
        case .opens(let at), .retries(let at): open(at)
        case .closes(let at):
            guard views[at].isOpen, let name = views[at].name, machine.isWelcomed else { return }
            machine.send(.close(Close(document: name)), isAnswered: true)
            forget(at)
        case .selects(let at, let places):
            guard views[at].isOpen, let name = views[at].name, let position = views[at].position,
                places.count <= world.limits.announced.selections
            else { return }
            let selections = views[at].text.wire(views[at].text.selections(places), in: machine.unit)
            let select = Select(document: name, revision: position.revision, selections: selections)
            machine.send(.select(select), isAnswered: false)
        default: break
        }
    }

    private func forget(_ at: Int) {
        (views[at].name, views[at].isOpen, views[at].openRequest) = (nil, false, nil)
    }

    func received(_ envelope: Envelope<ServerMessage>) {
        switch envelope.message {
        case .opened(let opened): handle(opened, envelope.id)
        case .change(let change): if let at = open(change.document) { apply(change, at) }
        case .resync(let resync):
            if let at = open(resync.document) { take(resync.text, resync.epoch, resync.revision, at) }
        case .gone(let gone):
            guard !gone.isFollowed, let at = open(gone.document) else { return }
            views[at].isOpen = false
            views[at].name = gone.to
            if gone.to != nil { open(at) }
        case .rights(let rights):
            if rights.rights == .none, let at = open(rights.document) { forget(at) }
        case .error:
            if let at = views.firstIndex(where: { $0.openRequest != nil && $0.openRequest == envelope.id }) {
                forget(at)
            }
        default: break
        }
    }

    private func open(_ name: WireString) -> Int? { views.firstIndex { $0.isOpen && $0.name == name } }

    private func handle(_ opened: Opened, _ id: RequestID?) {
        guard let at = views.firstIndex(where: { $0.openRequest != nil && $0.openRequest == id }) else {
            return
        }
        views[at].openRequest = nil
        views[at].isOpen = true
        switch opened.content {
        case .resumed: break
        case .text(let text), .textAfterAll(let text): take(text, opened.epoch, opened.revision, at)
        }
    }

    private func take(_ text: WireString, _ epoch: WireString, _ revision: Revision, _ at: Int) {
        views[at].text = TextBuffer(normal: text)
        views[at].position = WirePosition(epoch: epoch, revision: revision)
    }

    private func apply(_ change: WireChange, _ at: Int) {
        guard let position = views[at].position,
            let made = views[at].text.change(change.edits, in: machine.unit),
            (try? views[at].text.apply(made)) != nil
        else { return world.fail(.client, "a watcher cannot apply revision \(change.revision.value)") }
        views[at].position = WirePosition(epoch: position.epoch, revision: change.revision)
        if world.referee.ledger[position.epoch]?.text(at: change.revision) != views[at].text {
            world.fail(.text, "a watcher has a wrong text at revision \(change.revision.value)")
        }
    }

    // MARK: After all faults have ended

    func finishWork() { for at in views.indices where views[at].name == nil { open(at) } }

    func unfinishedWork() -> String? {
        for view in views where view.isOpen {
            guard let position = view.position, let history = world.referee.ledger[position.epoch] else {
                continue
            }
            if history.head != position.revision { return "a watcher has not received the newest revision" }
        }
        return nil
    }

    func checkFinalState() {
        for view in views where view.isOpen {
            guard let position = view.position else { continue }
            if world.referee.ledger[position.epoch]?.text != view.text {
                world.fail(.text, "a watcher ends with a wrong text")
            }
        }
    }
}

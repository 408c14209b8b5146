import CaretCore
import CaretLog
import CaretRooms
import CaretWire
@preconcurrency import Dispatch

/// The calls of rooms: to the store, and to the cores beside their queue.
extension Switchboard {
    private static let beside = DispatchQueue(label: "caret.work", attributes: .concurrent)

    /// Runs an action that has an answer, and sends the room the answer.
    func call(_ action: RoomAction, for room: RoomInstance) {
        let document = room.document
        switch action {
        case .append(let append):
            store.append([append]) { [self] in answer(room, .appended($0[0], at: clock.moment)) }
        case .appendLocked(let append, let plan):
            store.appendLocked(append, rebase: plan.changes(behind:)) { [self] missed, outcome in
                answer(room, .appendedLocked(missed: missed, outcome, at: clock.moment))
            }
        case .lookUp(let pusher):
            store.pusher(pusher, in: document) { [self] in answer(room, .pusherFound(pusher, $0)) }
        case .read(let revision):
            // As much as one session gets at once.
            store.read(document, after: revision, limit: connectionSettings.limits.creditBytes) { [self] in
                answer(room, .historyRead(after: revision, $0))
            }
        case .readText(let revision):
            store.text(of: document, at: revision) { [self] in answer(room, .textRead(revision, $0)) }
        case .reload: reload(room)
        case .renewEpochs(let known):
            store.renewEpochs(known: known, of: document) { [self] result in
                if case .success(true) = result { hub.enqueue(.epochsRenewed) }
                answer(room, .epochsRenewed(result))
            }
        case .compute(let work, let task):
            Self.beside.async { [self] in answer(room, .computed(work, task.done())) }
        case .sum(let text, let revision):
            Self.beside.async { [self] in answer(room, .summed(text.crc32, at: revision)) }
        case .rename(let name):
            store.rename(document, to: name) { [self] in answer(room, .renamed(name, $0)) }
        case .delete:
            store.delete(document, at: clock.now) { [self] in answer(room, .deleted($0)) }
        case .send, .wake, .ended, .cut, .diverged, .pushesSettled, .unload: break
        }
    }

    private func reload(_ room: RoomInstance) {
        store.entries(of: [room.document]) { [self] entries in
            switch entries[0] {
            case .failure(let refusal): answer(room, .reloadFailed(refusal))
            case .success(let entry):
                store.text(of: room.document, at: nil) { [self] result in
                    switch result {
                    case .success(let head): answer(room, .reloaded(entry, head))
                    case .failure(.refused(let refusal)): answer(room, .reloadFailed(refusal))
                    case .failure(.ahead), .failure(.trimmed), .failure(.wrongText):
                        answer(room, .reloadFailed(.damaged))
                    }
                }
            }
        }
    }
}

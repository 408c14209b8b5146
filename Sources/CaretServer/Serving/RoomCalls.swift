import CaretCore
import CaretLog
import CaretRooms
import CaretWire
@preconcurrency import Dispatch

/// What rooms ask of the store, and of the cores beside their queue.
extension Switchboard {
    private static let beside = DispatchQueue(label: "caret.work", attributes: .concurrent)

    /// Does what a room wants of others than connections and hub, and tells it the answer.
    func ask(_ action: RoomAction, for place: RoomPlace) {
        let document = place.document
        switch action {
        case .append(let append):
            store.append([append]) { [self] in answer(place, .appended($0[0], at: clock.moment)) }
        case .appendLocked(let append, let plan):
            store.appendLocked(append, rebase: plan.changes(behind:)) { [self] missed, outcome in
                answer(place, .appendedLocked(missed: missed, outcome, at: clock.moment))
            }
        case .lookUp(let pusher):
            store.pusher(pusher, in: document) { [self] in answer(place, .pusherFound(pusher, $0)) }
        case .read(let revision):
            // As much as a session is handed at once.
            store.read(document, after: revision, limit: connectionSettings.limits.creditBytes) { [self] in
                answer(place, .historyRead(after: revision, $0))
            }
        case .readText(let revision):
            store.text(of: document, at: revision) { [self] in answer(place, .textRead(revision, $0)) }
        case .reload: reload(place)
        case .renewEpochs(let known):
            store.renewEpochs(known: known, of: document) { [self] result in
                if case .success(true) = result { hub.enqueue(.epochsRenewed) }
                answer(place, .epochsRenewed(result))
            }
        case .compute(let work, let task):
            Self.beside.async { [self] in answer(place, .computed(work, task.done())) }
        case .sum(let text, let revision):
            Self.beside.async { [self] in answer(place, .summed(text.crc32, at: revision)) }
        case .rename(let name):
            store.rename(document, to: name) { [self] in answer(place, .renamed(name, $0)) }
        case .delete:
            store.delete(document, at: clock.now) { [self] in answer(place, .deleted($0)) }
        case .send, .wake, .ended, .cut, .diverged, .pushesSettled, .unload: break
        }
    }

    private func reload(_ place: RoomPlace) {
        store.entries(of: [place.document]) { [self] entries in
            switch entries[0] {
            case .failure(let refusal): answer(place, .reloadFailed(refusal))
            case .success(let entry):
                store.text(of: place.document, at: nil) { [self] result in
                    switch result {
                    case .success(let head): answer(place, .reloaded(entry, head))
                    case .failure(.refused(let refusal)): answer(place, .reloadFailed(refusal))
                    case .failure(.ahead), .failure(.trimmed), .failure(.wrongText):
                        answer(place, .reloadFailed(.damaged))
                    }
                }
            }
        }
    }
}

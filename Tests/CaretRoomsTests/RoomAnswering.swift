import CaretCore
import CaretLog
import CaretRooms
import CaretWire
import TestSupport

/// What a room is told.
typealias RoomNews = @Sendable (inout RoomState) -> [RoomAction]

extension StoreModel {
    /// What the room is told by whoever does as it wants; nil where it is told nothing.
    mutating func done(
        _ action: RoomAction, of document: DocumentID, readLimit: Int = 1 << 16, at time: Int64
    ) -> RoomNews? {
        switch action {
        case .append(let append):
            let outcome = self.append([append])[0]
            return { $0.appended(outcome) }
        case .appendLocked(let append, let plan):
            let answer = appendLocked(append) { plan.changes(behind: $0) }
            return { $0.appendedLocked(missed: answer.missed, answer.outcome) }
        case .lookUp(let pusher):
            let answer = self.pusher(pusher, in: document)
            return { $0.pusherFound(pusher, answer) }
        case .read(let revision):
            let answer = read(document, after: revision, limit: readLimit)
            return { $0.historyRead(after: revision, answer) }
        case .readText(let revision):
            let answer = text(of: document, at: revision)
            return { $0.textRead(revision, answer) }
        case .rename(let name):
            let answer = rename(document, to: name)
            return { $0.renamed(answer) }
        case .delete:
            let answer = delete(document, at: time)
            return { $0.deleted(answer) }
        case .reload: return reloaded(document)
        case .renewEpochs:
            let answer = renewEpochs()
            return { $0.epochsRenewed(answer) }
        case .compute(let id, let work):
            let change = work.done()
            return { $0.computed(id, change) }
        case .sum(let text, let revision):
            let sum = crc32(of: text)
            return { $0.summed(sum, at: revision) }
        case .send, .wake, .ended, .cut, .diverged, .unload, .pushesSettled: return nil
        }
    }

    private func reloaded(_ document: DocumentID) -> RoomNews {
        switch (entry(of: document), text(of: document, at: nil)) {
        case (.success(let entry), .success(let head)): return { $0.reloaded(entry, head) }
        case (.failure(let refusal), _): return { $0.reloadFailed(refusal) }
        case (_, .failure): return { $0.reloadFailed(.damaged) }
        }
    }
}

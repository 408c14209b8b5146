import CaretCore
import CaretLog
import CaretWire

/// Answers repeats of committed pushes, with the same ack again.
extension RoomState {
    mutating func answer(_ push: RoomPush, repeating entry: PusherEntry) {
        if let committed = log.window[entry.revision] {
            return answer(push, with: committed.logged, at: entry.revision, committed.text)
        }
        repeats.add(PendingRepeat(push: push, revision: entry.revision))
        read(after: Revision(entry.revision.value - 1))
    }

    /// Answers the repeats that waited for the revisions after this one.
    mutating func answerRepeats(after revision: Revision, _ result: Result<HistorySlice, HistoryRefusal>) {
        for due in repeats.remove(where: { $0.revision == revision.next && $0.needsChange }) {
            switch result {
            case .success(let reading):
                if let logged = reading.segment.changes.first {
                    answer(due, with: logged)
                } else {
                    readAgain(due)
                }
            // The repeat is validated again after the reload, when the room knows the store's history.
            case .failure(.refused(.gone)): repeats.add(due)
            case .failure(.trimmed): answer(due, with: nil)
            // The push is on disk, but its edits could not be read. The ack of a repeat does not need them.
            case .failure: answer(due.push, with: nil, at: due.revision, nil)
            }
        }
    }

    private mutating func readAgain(_ due: PendingRepeat) {
        if due.stage == .needsChangeAgain { return answer(due.push, with: nil, at: due.revision, nil) }
        var due = due
        due.stage = .needsChangeAgain
        repeats.add(due)
        read(after: Revision(due.revision.value - 1))
    }

    private mutating func answer(_ due: PendingRepeat, with logged: LoggedChange?) {
        if !due.push.wantsText { return answer(due.push, with: logged, at: due.revision, nil) }
        var due = due
        due.stage = .needsText(logged)
        repeats.add(due)
        call(.text(log.document, at: due.revision))
    }

    /// Answers the repeats that waited for the text at this revision. `text` is nil if it could not be read.
    mutating func answerRepeats(ofTextAt revision: Revision, _ text: TextBuffer?) {
        let waiting = repeats.remove {
            if case .needsText = $0.stage { $0.revision == revision } else { false }
        }
        for due in waiting {
            guard case .needsText(let logged) = due.stage else { continue }
            answer(due.push, with: logged, at: due.revision, text)
        }
    }

    private mutating func answer(
        _ push: RoomPush, with logged: LoggedChange?, at revision: Revision, _ text: TextBuffer?
    ) {
        let unit = push.participant.unit
        // Edits that were stored before changes had a limit are left out. The ack of a repeat does not need
        // them.
        let logged = logged.flatMap { $0.fits(limits.announced.serverList) ? $0 : nil }
        let isLiteral =
            logged.flatMap { logged in push.edits.map { logged.hasEdits(equalTo: $0, in: unit) } } ?? false
        let ack = Ack(
            document: push.document, seq: Int(push.seq), epoch: push.epoch == nil ? log.epochName : nil,
            revision: revision, edits: isLiteral ? nil : logged?.wireEdits(in: unit),
            text: push.wantsText ? text.map { WireString($0.string) } : nil, duplicate: true)
        reply(lineWithOneOrBoth(of: ack, push.id), to: push.session)
        noteAnswered(push.session)
    }
}

import CaretCore
import CaretLog
import CaretWire

/// A repeat of a committed push, whose answer is not at hand.
struct RepeatDue: Equatable, Sendable {
    enum Stage: Equatable, Sendable {
        case needsChange
        /// What was read was from before the revision was there.
        case needsChangeStill
        case needsText(LoggedChange)
    }

    let push: RoomPush
    /// What it was committed as.
    let revision: Revision
    var stage = Stage.needsChange

    var needsChange: Bool {
        switch stage {
        case .needsChange, .needsChangeStill: true
        case .needsText: false
        }
    }
}

/// Answers to pushes that were committed before: what they were committed as, once more.
extension RoomState {
    mutating func answer(_ push: RoomPush, repeating entry: PusherEntry) {
        if let committed = window[entry.revision] {
            return answer(push, with: committed.logged, at: entry.revision, committed.text)
        }
        repeats.append(RepeatDue(push: push, revision: entry.revision))
        read(after: Revision(entry.revision.value - 1))
    }

    mutating func answerRepeats(behind revision: Revision, _ result: Result<Reading, HistoryRefusal>) {
        for due in takeRepeats(where: { $0.revision == revision.next && $0.needsChange }) {
            switch result {
            case .success(let reading):
                if let logged = reading.segment.changes.first {
                    answer(due, with: logged)
                } else {
                    readAgain(due)
                }
            // Judged again when it is known which document that is.
            case .failure(.refused(.gone)): repeats.append(due)
            // It is on disk, and more cannot be had: an ack that advances nothing needs no edits.
            case .failure: answer(due.push, with: nil, at: due.revision, nil)
            }
        }
    }

    private mutating func readAgain(_ due: RepeatDue) {
        if due.stage == .needsChangeStill { return answer(due.push, with: nil, at: due.revision, nil) }
        var due = due
        due.stage = .needsChangeStill
        repeats.append(due)
        read(after: Revision(due.revision.value - 1))
    }

    private mutating func answer(_ due: RepeatDue, with logged: LoggedChange) {
        if !due.push.wantsText { return answer(due.push, with: logged, at: due.revision, nil) }
        var due = due
        due.stage = .needsText(logged)
        repeats.append(due)
        ask(.readText(due.revision))
    }

    mutating func answerRepeats(ofTextAt revision: Revision, _ text: Text?) {
        let waiting = takeRepeats {
            if case .needsText = $0.stage { $0.revision == revision } else { false }
        }
        for due in waiting {
            guard case .needsText(let logged) = due.stage else { continue }
            answer(due.push, with: logged, at: due.revision, text)
        }
    }

    private mutating func takeRepeats(where holds: (RepeatDue) -> Bool) -> [RepeatDue] {
        if repeats.isEmpty { return [] }
        let taken = repeats.filter(holds)
        repeats.removeAll(where: holds)
        return taken
    }

    private mutating func answer(
        _ push: RoomPush, with logged: LoggedChange?, at revision: Revision, _ text: Text?
    ) {
        let unit = push.participant.unit
        // One that was stored before changes had a bound is left out: the ack advances nothing.
        let logged = logged.flatMap { $0.fits(limits.announced.serverList) ? $0 : nil }
        let isLiteral =
            logged.flatMap { logged in push.edits.map { logged.isSaid(by: $0, in: unit) } } ?? false
        let ack = Ack(
            document: push.document, seq: Int(push.seq), revision: revision,
            edits: isLiteral ? nil : logged?.wireEdits(in: unit),
            text: push.wantsText ? text.map { WireString($0.string) } : nil, duplicate: true)
        send(line(ofOneOrBoth: ack, push.id), to: push.session)
        noteAnswered(push.session)
    }
}

package import CaretCore
package import CaretLog
import CaretWire

/// The way of a push that was taken, until it waits for a segment: to its change, and with it to the head.
extension RoomState {
    /// Bytes of two texts that are compared at once; longer ones are compared beside the room.
    private static let diffAtOnce = 16 << 10
    /// Revisions times edits over which a change is moved at once: about a millisecond.
    private static let rebaseAtOnce = 20_000
    /// How often work on a push is done beside the room while others commit. After that they wait for it: else a push that
    /// costs much would never catch up with a busy document. Other documents wait for nothing.
    private static let mostRounds = 3

    /// Other pushes wait for work on one that has waited for them.
    var isHeldUp: Bool { heldUpBy.map { working[$0] != nil } ?? false }

    /// The store's answer to `readText`.
    package mutating func textRead(
        _ revision: Revision, _ result: Result<Snapshot, HistoryRefusal>
    ) -> [RoomAction] {
        storeCalls -= 1
        if over != nil { return finished() }
        switch result {
        case .success(let snapshot):
            for pusher in pushersWaiting(where: { $0 == .needsText(revision) }) {
                aim(pusher, in: snapshot.text)
            }
            answerRepeats(ofTextAt: revision, snapshot.text)
        case .failure(.refused(.damaged)), .failure(.wrongText): damage()
        case .failure(.refused(.gone)): needReload()
        case .failure(let refusal):
            let refusal = RequestRefusal(refusal, "revision \(revision.value)")
            for pusher in pushersWaiting(where: { $0 == .needsText(revision) }) {
                settle(pusher, refusing: refusal)
            }
            answerRepeats(ofTextAt: revision, nil)
        }
        return finished()
    }

    /// Makes of a push what it does, in the text that it was made against.
    mutating func aim(_ pusher: Pusher, in text: Text) {
        guard let known = pending[pusher] else { return }
        switch known.push.content {
        case .restore:
            pending[pusher]?.target = text
            makeReady(pusher, .restore(text, found: nil), at: known.push.base)
        case .edits(let edits):
            do throws(RequestRefusal) {
                let unit = known.push.participant.unit
                follow(pusher, try text.change(edits, in: unit, at: known.push.base), from: known.push.base)
            } catch {
                settle(pusher, refusing: error)
            }
        case .text:
            guard let new = known.whole?.text else { preconditionFailure("a whole text is none") }
            let work = Work.diff(from: text, to: new, atMost: limits.announced.edits)
            if text.length.utf8 + new.length.utf8 <= RoomState.diffAtOnce {
                followWhole(pusher, work.done())
            } else {
                compute(work, for: pusher, at: known.push.base)
            }
        }
    }

    /// Of a whole text it is known only now how many edits it is.
    private mutating func followWhole(_ pusher: Pusher, _ change: Change) {
        guard let push = pending[pusher]?.push else { return }
        if let refusal = refusalOfWork(push, edits: change.edits.count) {
            return settle(pusher, refusing: refusal)
        }
        follow(pusher, change, from: push.base)
    }

    /// Lets a change, made at this revision, wait for its turn, once what is behind it is at hand.
    private mutating func follow(_ pusher: Pusher, _ change: Change, from base: Revision) {
        guard let missed = window.changes(after: base) else {
            pending[pusher]?.stage = .needsHistory(change, at: base)
            return read(after: base)
        }
        if let next = missed.first, isTooOld(pusher, base, next.logged) {
            return settle(pusher, refusing: .forgotten(base, limits))
        }
        if resolveRepeat(pusher, in: missed.lazy.map(\.logged), after: base) { return }
        makeReady(pusher, .change(change), at: base)
    }

    private mutating func makeReady(_ pusher: Pusher, _ aim: PushAim, at revision: Revision) {
        pending[pusher]?.stage = .ready(aim, at: revision)
        if isTired(pusher) { ready.insert(pusher, at: 0) } else { ready.append(pusher) }
    }

    /// It may be a repeat whose first sending has been forgotten.
    private func isTooOld(_ pusher: Pusher, _ base: Revision, _ next: LoggedChange) -> Bool {
        guard let known = pending[pusher], known.isFirstOfPusher, known.push.base == base else {
            return false
        }
        return known.push.time - next.time > Int64(limits.pusherDays) * 86_400_000
    }

    /// Looks for a push among the revisions that it is moved over. There it is a repeat that the store did not know:
    /// to go on would commit it twice. True where the push was resolved.
    private mutating func resolveRepeat(
        _ pusher: Pusher, in missed: some Collection<LoggedChange>, after base: Revision
    ) -> Bool {
        guard !missed.isEmpty, let known = pending[pusher] else { return false }
        let push = known.push
        for (index, logged) in missed.enumerated() where logged.seq >= push.seq && logged.pusher == pusher {
            let revision = Revision(base.value + 1 + index)
            if !known.isFirstOfPusher {
                // The store remembers an earlier push as the highest one: what it remembers is out of date.
                findDamage()
            } else if logged.seq == push.seq {
                // The store has forgotten this pusher, and the log has not.
                settle(pusher)
                answer(
                    push,
                    repeating: PusherEntry(
                        seq: push.seq, revision: revision, digest: push.digest, used: logged.time))
            } else {
                let what = "revision \(revision.value) is your push with seq \(logged.seq)"
                settle(
                    pusher, refusing: RequestRefusal(.seqReused, "seq \(push.seq) was passed over: \(what)"))
            }
            return true
        }
        return false
    }

    /// Moves changes on that waited for the revisions after this one.
    mutating func follow(after revision: Revision, _ result: Result<Reading, HistoryRefusal>) {
        let waiting = pushersWaiting { stage in
            if case .needsHistory(_, revision) = stage { true } else { false }
        }
        for pusher in waiting {
            guard case .needsHistory(let change, _)? = pending[pusher]?.stage else { continue }
            switch result {
            case .failure(.refused(.gone)): break
            case .failure(let refusal):
                settle(pusher, refusing: RequestRefusal(refusal, "revision \(revision.value)"))
            case .success(let reading): follow(pusher, change, from: revision, reading)
            }
        }
    }

    private mutating func follow(
        _ pusher: Pusher, _ change: Change, from base: Revision, _ reading: Reading
    ) {
        if let next = reading.segment.changes.first, isTooOld(pusher, base, next) {
            return settle(pusher, refusing: .forgotten(base, limits))
        }
        // What the store has behind the head the room has yet to take in.
        let logged = reading.segment.changes.prefix(head.value - base.value)
        if resolveRepeat(pusher, in: logged, after: base) { return }
        let missed = logged.compactMap { logged in
            // Where one does not fit, neither does the log, which is damage.
            try? logged.change
        }
        if missed.count < logged.count { return findDamage() }
        // What was committed meanwhile is in the window, or is asked for next.
        move(pusher, change, over: missed, to: Revision(base.value + missed.count))
    }

    private mutating func move(
        _ pusher: Pusher, _ change: Change, over missed: [Change], to revision: Revision
    ) {
        let work = Work.rebase(change, over: missed)
        if missed.count * (change.edits.count + 1) <= RoomState.rebaseAtOnce {
            follow(pusher, work.done(), from: revision)
        } else {
            compute(work, for: pusher, at: revision)
        }
    }

    private func isTired(_ pusher: Pusher) -> Bool {
        pending[pusher].map { $0.rounds > RoomState.mostRounds } ?? false
    }

    /// Whose push is at such a stage, in an order that is the same everywhere.
    private func pushersWaiting(where holds: (PendingPush.Stage) -> Bool) -> [Pusher] {
        pending.filter { holds($0.value.stage) }.keys.sorted()
    }

    // MARK: Work beside the room

    private mutating func compute(_ work: Work, for pusher: Pusher, at revision: Revision) {
        lastWork += 1
        let id = WorkID(lastWork)
        working[id] = pusher
        pending[pusher]?.stage = .working(id, at: revision)
        pending[pusher]?.rounds += 1
        if isTired(pusher) { heldUpBy = id }
        actions.append(.compute(id, work))
    }

    /// What came of `compute`.
    package mutating func computed(_ id: WorkID, _ change: Change) -> [RoomAction] {
        guard over == nil, let pusher = working.removeValue(forKey: id), let known = pending[pusher],
            case .working(id, let revision) = known.stage
        else { return finished() }
        switch known.push.content {
        case .restore:
            if let target = known.target {
                makeReady(pusher, .restore(target, found: change), at: revision)
            }
        case .text where revision == known.push.base: followWhole(pusher, change)
        case .text, .edits: follow(pusher, change, from: revision)
        }
        return finished()
    }

    // MARK: Before the segment

    /// A push whose change is known for the head alone, and would take long to be found behind others in a segment.
    func mustBeFirst(_ pusher: Pusher) -> Bool {
        guard case .ready(.restore(let target, _), _)? = pending[pusher]?.stage else { return false }
        return !isShort(target)
    }

    /// The text is compared with the head's at once.
    private func isShort(_ target: Text) -> Bool {
        text.length.utf8 + target.length.utf8 <= RoomState.diffAtOnce
    }

    /// What a push that is ready does at the head; nil where that has to be found first, or it is settled now.
    mutating func aimAtHead(_ pusher: Pusher) -> PushAim? {
        guard let known = pending[pusher], case .ready(let aim, let revision) = known.stage else {
            return nil
        }
        if let refusal = RequestRefusal.ofRights(known.push.rights) {
            settle(pusher, refusing: refusal)
            return nil
        }
        switch aim {
        case .change where revision == head: return aim
        case .change(let change):
            guard let missed = window.changes(after: revision) else {
                follow(pusher, change, from: revision)
                return nil
            }
            let steps = missed.count * (change.edits.count + 1)
            if steps <= RoomState.rebaseAtOnce {
                return .change(change.rebased(over: missed.map(\.change), tie: .otherFirst))
            }
            compute(.rebase(change, over: missed.map(\.change)), for: pusher, at: head)
            return nil
        case .restore(_, found: _?) where revision == head: return aim
        case .restore(let target, _):
            if isShort(target) { return .restore(target, found: nil) }
            compute(
                .diff(from: text, to: target, atMost: limits.announced.edits), for: pusher, at: head)
            return nil
        }
    }
}

extension RequestRefusal {
    fileprivate static func forgotten(_ base: Revision, _ limits: Limits) -> RequestRefusal {
        RequestRefusal(
            .baseTrimmed,
            "what was committed behind base \(base.value) is older than \(limits.pusherDays) days, and nothing is known of pushes of yours"
        )
    }
}

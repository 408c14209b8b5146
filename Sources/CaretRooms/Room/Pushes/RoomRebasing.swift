import CaretCore
import CaretLog
import CaretWire

/// Prepares an accepted push for the next segment: computes its change, then rebases that change to the head.
extension RoomState {
    // Not part of `Limits`: no push is refused above it, so no operator or client needs to know it.

    /// If at most this many bytes of two texts differ, apart from equal lines at both ends, the texts are
    /// compared immediately. Otherwise they are compared in the background.
    private static let diffAtOnce = 16 << 10

    /// Handles the store's answer to a `text` call.
    mutating func textRead(
        _ revision: Revision, _ result: Result<Snapshot, HistoryRefusal>
    ) {
        if closedWith != nil { return }
        switch result {
        case .success(let snapshot):
            for pusher in pushes.pushers(where: { $0 == .needsText(revision) }) {
                prepare(pusher, in: snapshot.text)
            }
            answerRepeats(ofTextAt: revision, snapshot.text)
        case .failure(.refused(.damaged)), .failure(.wrongText): closeAsDamaged()
        case .failure(.refused(.gone)): requestReload()
        case .failure(let refusal):
            let refusal = RequestRefusal(refusal, "revision \(revision.value)")
            for pusher in pushes.pushers(where: { $0 == .needsText(revision) }) {
                resolve(pusher, refusing: refusal)
            }
            answerRepeats(ofTextAt: revision, nil)
        }
    }

    /// Computes the change of a push from the text at its base.
    mutating func prepare(_ pusher: Pusher, in text: TextBuffer) {
        guard let known = pushes[pusher] else { return }
        let base = known.push.base
        switch known.push.content {
        case .restore:
            pushes.setTarget(text, of: pusher)
            pushes.becameReady(pusher, .restore(text, found: nil), at: base)
        case .edits(let edits):
            do throws(RequestRefusal) {
                let change = try text.change(edits, in: known.push.participant.unit, at: base)
                rebaseForward(pusher, change, from: base)
            } catch {
                resolve(pusher, refusing: error)
            }
        case .text:
            guard let new = known.whole?.text else { preconditionFailure("a pushed text is missing") }
            prepare(pusher, changing: text, to: new, from: base)
        }
    }

    /// Compares a pushed whole text with the text at its base, now or in the background.
    private mutating func prepare(
        _ pusher: Pusher, changing old: TextBuffer, to new: TextBuffer, from base: Revision
    ) {
        let most = limits.announced.edits
        guard let lines = UnequalLines(of: old, new) else { return rebaseWhole(pusher, Change()) }
        if lines.old.count + lines.new.count <= RoomState.diffAtOnce {
            rebaseWhole(pusher, diff(from: old, to: new, in: lines).joined(making: new, atMost: most))
        } else {
            compute(.diff(from: old, to: new, atMost: most), for: pusher, at: base)
        }
    }

    /// Rebases the change of a pushed whole text. The number of edits is known only after the comparison, so
    /// the cost of rebasing is checked here.
    private mutating func rebaseWhole(_ pusher: Pusher, _ change: Change) {
        guard let known = pushes[pusher] else { return }
        let (push, edits) = (known.push, change.edits.count)
        let refusal = refusalOfWork(push, edits: edits)
        if let refusal = refusal ?? (known.wasAccepted ? nil : refusalOfRate(push, edits: edits)) {
            return resolve(pusher, refusing: refusal)
        }
        rebaseForward(pusher, change, from: push.base)
    }

    /// Marks a push as ready, with its change at this revision. If the window lacks later revisions, the push
    /// first waits until they are read.
    private mutating func rebaseForward(_ pusher: Pusher, _ change: Change, from base: Revision) {
        guard let missed = log.window.changes(after: base) else {
            pushes.waitForHistory(pusher, change, at: base)
            return read(after: base)
        }
        if let next = missed.first, let known = pushes[pusher] {
            if isTooOld(known, base, next.logged) {
                return resolve(pusher, refusing: .forgotten(base, limits))
            }
            if let own = ownRevision(of: known.push, in: missed.lazy.map(\.logged), after: base) {
                return resolve(known, beside: own.logged, at: own.revision)
            }
        }
        pushes.becameReady(pusher, .change(change), at: base)
    }

    /// Whether a push is so old that it may be a repeat of a push that the store has forgotten.
    private func isTooOld(_ known: PendingPush, _ base: Revision, _ next: LoggedChange) -> Bool {
        guard known.isFirstOfPusher, known.push.base == base else { return false }
        return known.push.time - next.time > Int64(limits.pusherDays) * 86_400_000
    }

    /// Searches the revisions that a push is rebased over for the same push, or for a later one of its
    /// pusher.
    private func ownRevision(
        of push: RoomPush, in missed: some Collection<LoggedChange>, after base: Revision
    ) -> (revision: Revision, logged: LoggedChange)? {
        let pusher = push.pusher
        for (index, logged) in missed.enumerated() where logged.seq >= push.seq && logged.pusher == pusher {
            return (Revision(base.value + 1 + index), logged)
        }
        return nil
    }

    /// Resolves a push that must not be committed, because the log has it already, or has a later push of its
    /// pusher. The store's answer about the pusher did not contain that push.
    private mutating func resolve(_ known: PendingPush, beside logged: LoggedChange, at revision: Revision) {
        let push = known.push
        if !known.isFirstOfPusher {
            // The store's record of the pusher's highest push is outdated, so its data is damaged.
            reportDamage()
        } else if logged.seq == push.seq {
            // The store has forgotten this pusher, but the log contains the push.
            resolve(push.pusher)
            answer(
                push,
                repeating: PusherEntry(
                    seq: push.seq, revision: revision, digest: push.digest, used: logged.time))
        } else {
            let what = "revision \(revision.value) is your push with seq \(logged.seq)"
            resolve(
                push.pusher,
                refusing: RequestRefusal(.seqReused, "seq \(push.seq) was skipped: \(what)"))
        }
    }

    /// Rebases the changes that waited for the revisions after this one.
    mutating func rebaseWaiting(after revision: Revision, _ result: Result<HistorySlice, HistoryRefusal>) {
        let waiting = pushes.pushers { stage in
            if case .needsHistory(_, revision) = stage { true } else { false }
        }
        for pusher in waiting {
            guard case .needsHistory(let change, _)? = pushes[pusher]?.stage else { continue }
            switch result {
            case .failure(.refused(.gone)): break
            case .failure(let refusal):
                resolve(pusher, refusing: RequestRefusal(refusal, "revision \(revision.value)"))
            case .success(let reading): rebaseForward(pusher, change, from: revision, over: reading)
            }
        }
    }

    private mutating func rebaseForward(
        _ pusher: Pusher, _ change: Change, from base: Revision, over reading: HistorySlice
    ) {
        guard let known = pushes[pusher] else { return }
        if let next = reading.segment.changes.first, isTooOld(known, base, next) {
            return resolve(pusher, refusing: .forgotten(base, limits))
        }
        // The store may have revisions after the room's head, which the room has not applied yet.
        let logged = reading.segment.changes.prefix(head.value - base.value)
        if let own = ownRevision(of: known.push, in: logged, after: base) {
            return resolve(known, beside: own.logged, at: own.revision)
        }
        if !logged.allSatisfy(\.isChange) { return reportDamage() }
        // Revisions committed meanwhile are in the window, or are requested next.
        let revision = Revision(base.value + logged.count)
        let work = ChangeWork.rebaseOverLog(change, Array(logged))
        if logged.count * (change.edits.count + 1) <= limits.rebaseAtOnce {
            rebaseForward(pusher, work.done(), from: revision)
        } else {
            compute(work, for: pusher, at: revision)
        }
    }

    // MARK: Background work

    private mutating func compute(_ work: ChangeWork, for pusher: Pusher, at revision: Revision) {
        let id = nextWork()
        pushes.beginComputing(pusher, as: id, at: revision)
        effects.add(.compute(id, .change(work)))
    }

    /// Handles the result of `compute`.
    mutating func computed(_ id: WorkID, _ change: Change) {
        guard closedWith == nil, let (known, revision) = pushes.endComputing(id) else { return }
        let push = known.push
        switch push.content {
        case .restore:
            guard let target = known.target else {
                preconditionFailure("a restore was computed without the text to restore")
            }
            pushes.becameReady(push.pusher, .restore(target, found: change), at: revision)
        case .text where revision == push.base: rebaseWhole(push.pusher, change)
        case .text, .edits: rebaseForward(push.pusher, change, from: revision)
        }
    }

    // MARK: Before the segment

    /// Whether a push must be the first one of its segment: a restore of a long text. After other pushes of
    /// the segment, the room would have to compare the restored text with the document again, which takes
    /// long.
    func mustLeadSegment(_ pusher: Pusher) -> Bool {
        guard case .ready(.restore(let target, _), _)? = pushes[pusher]?.stage else { return false }
        return !isShort(target)
    }

    /// Whether a text is short enough to be compared with the head immediately.
    private func isShort(_ target: TextBuffer) -> Bool {
        text.length.utf8 + target.length.utf8 <= RoomState.diffAtOnce
    }

    /// A ready push with its effect at the head. Nil if the effect must be computed first, or if the push was
    /// refused.
    mutating func memberAtHead(_ pusher: Pusher) -> SegmentPlan.Member? {
        guard let known = pushes[pusher], case .ready(let intent, let revision) = known.stage else {
            return nil
        }
        if let refusal = RequestRefusal.ofRights(known.push.rights) {
            resolve(pusher, refusing: refusal)
            return nil
        }
        return intentAtHead(intent, of: pusher, from: revision).map {
            SegmentPlan.Member(push: known.push, intent: $0, whole: known.whole)
        }
    }

    private mutating func intentAtHead(
        _ intent: PushIntent, of pusher: Pusher, from revision: Revision
    ) -> PushIntent? {
        switch intent {
        case .change where revision == head: return intent
        case .change(let change):
            guard let missed = log.window.changes(after: revision) else {
                rebaseForward(pusher, change, from: revision)
                return nil
            }
            let steps = missed.count * (change.edits.count + 1)
            if steps <= limits.rebaseAtOnce {
                return .change(change.rebased(over: missed.map(\.change), tie: .otherFirst))
            }
            compute(.rebase(change, over: missed.map(\.change)), for: pusher, at: head)
            return nil
        case .restore(_, found: _?) where revision == head: return intent
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
            "the change after base \(base.value) is more than \(limits.pusherDays) days old, so the server cannot tell whether this push was committed before",
            cause: .forgotten)
    }
}

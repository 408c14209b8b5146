import CaretCore
import CaretLog
import CaretWire

/// Appends segments, one at a time. Clients learn of a segment only after it is on disk.
extension RoomState {
    /// The limit of a segment's rebasing cost. It corresponds to a few milliseconds.
    private static let mostWork = 50_000

    /// Appends the pushes that are ready, unless an append is in flight.
    mutating func appendReady() {
        while isAppendNext {
            if !mayAppend() { return }
            let plan = planSegment()
            if plan.members.isEmpty { continue }
            let draft = plan.draft(after: [])
            // No push changes the text, so there is nothing to append, and the pushes are answered now.
            if draft.changes.isEmpty {
                resolve(by: draft)
                continue
            }
            append(plan, draft)
        }
    }

    private var isAppendNext: Bool {
        pushes.hasReady && !pushes.isAppending && catchUp.isIdle && pause.isOver && !pushes.isHeldUp
    }

    /// A room that has lost twice in a row against another writer might lose every time. So it appends under the
    /// store's lock.
    private var needsLock: Bool { pushes.conflicts >= 2 }

    var isLockedAppendNext: Bool { needsLock && isAppendNext }

    /// Whether the pushes that are ready can be appended now. If not, the room waits for more pushes.
    private mutating func mayAppend() -> Bool {
        switch sharing.decide(ready: pushes.readyCount, at: clock.now) {
        case .append: return true
        case .wait: return false
        case .beginWait:
            effects.add(.waitForPushes(isLong: needsLock))
            return false
        }
    }

    /// Notes how many pushes are expected soon: those that are ready, and the next push of each session that
    /// gets an ack now.
    private mutating func noteCommit(of segment: SegmentInFlight) {
        let acked = segment.plan.members.count { sessions.index(of: $0.push.session) != nil }
        sharing.committed(
            expecting: min(acked + pushes.readyCount, limits.segmentChanges), at: clock.now)
    }

    private mutating func planSegment() -> SegmentPlan {
        var plan = SegmentPlan(log.window.head, time: log.newestTime, limits: limits.announced)
        let candidates = pushes.takeReady()
        var taken = 0
        for pusher in candidates {
            if plan.members.count == limits.segmentChanges || plan.work > RoomState.mostWork { break }
            if pushes.isHeldUp || !plan.members.isEmpty && mustLeadSegment(pusher) { break }
            taken += 1
            guard let member = memberAtHead(pusher) else { continue }
            plan.add(member)
            pushes.joinSegment(pusher)
        }
        pushes.returnReady(candidates[taken...])
        return plan
    }

    private mutating func append(_ plan: SegmentPlan, _ draft: SegmentDraft) {
        let append = Append(
            document: log.document, epoch: log.epoch, expected: head, changes: draft.changes,
            lineBreak: draft.lineBreak)
        pushes.append(SegmentInFlight(append: append, plan: plan, draft: draft))
        call(needsLock ? .appendLocked(append, AppendRebase(plan.changes(after:))) : .append(append))
    }

    /// Handles the store's answer to an `append` call.
    mutating func appended(_ outcome: AppendOutcome) {
        guard closedWith == nil, let segment = pushes.inFlight else { return }
        if case .committed = outcome {
            pushes.endAppend()
            pushes.endConflict()
            noteCommit(of: segment)
            resolve(by: segment.draft)
            headMoved()
        } else {
            notCommitted(segment, outcome)
        }
    }

    /// Handles the store's answer to an `appendLocked` call.
    mutating func appendedLocked(
        missed: [LoggedChange], _ outcome: AppendOutcome
    ) {
        guard closedWith == nil, let segment = pushes.inFlight else { return }
        if case .committed = outcome {
            pushes.endAppend()
            // While other writers commit too, the next append without the lock would probably lose again.
            if missed.isEmpty { pushes.endConflict() }
            noteCommit(of: segment)
            let draft = segment.plan.draft(after: missed)
            for logged in missed where closedWith == nil { apply(logged) }
            if closedWith == nil {
                resolve(by: draft)
                headMoved()
            }
        } else {
            notCommitted(segment, outcome)
        }
    }

    private mutating func notCommitted(_ segment: SegmentInFlight, _ outcome: AppendOutcome) {
        switch outcome {
        case .committed: break
        // The store's head is not beyond the room's, so no other writer was first. The data is damaged, or
        // the history has forked.
        case .conflict(let found) where found <= head: reportDamage()
        case .conflict(let found):
            pushes.noteConflict()
            catchUp.noteStoreHead(found)
            pushes.returnSegment()
            readAfterHead()
        case .unknown:
            // The log shows whether the segment is on disk.
            pushes.outcomeIsUnknown()
            readAfterHead()
        case .documentGone:
            pushes.returnSegment()
            requestReload()
        case .invalidChange:
            refuse(
                segment,
                RequestRefusal(
                    .internal,
                    "the store refused the changes: they do not fit document \(log.document.value) at revision \(head.value)"
                ))
        case .diskFull: refuse(segment, RequestRefusal(.full))
        case .diskFailed: refuse(segment, RequestRefusal(.failed))
        case .away: refuse(segment, RequestRefusal(.away))
        case .documentDamaged: closeAsDamaged()
        }
    }

    private mutating func refuse(_ segment: SegmentInFlight, _ refusal: RequestRefusal) {
        pushes.endAppend()
        for member in segment.plan.members { resolve(member.push.pusher, refusing: refusal) }
        // A successful append would have reported the store's head, for which some pushers wait. Now a read
        // must report it.
        if catchUp.hasWaiting, !pause.awaits(.reload) { readAfterHead() }
        followHint()
    }

    // MARK: What is committed

    /// Resolves the pushes of a segment that is on disk.
    private mutating func resolve(by draft: SegmentDraft) {
        if let lineBreak = draft.lineBreak { log.setLineBreak(lineBreak) }
        for (pusher, outcome) in draft.outcomes {
            switch outcome {
            case .committed(let committed): resolve(pusher, as: committed)
            case .unchanged(let snapshot):
                if let resolved = resolve(pusher) { replyUnchanged(resolved.push, at: snapshot) }
            case .withoutEffect(let snapshot):
                if let resolved = resolve(pusher) {
                    withoutEffect.add(resolved.push)
                    replyUnchanged(resolved.push, at: snapshot)
                }
            case .tooLarge(let bytes):
                resolve(pusher, refusing: .tooLarge(bytes, allowed: limits.announced.document))
            case .baseBehind:
                if let resolved = resolve(pusher) {
                    refuse(resolved.push, .behind(resolved.push.base, head))
                }
            // The push was validated again when the log's change of the same pusher was applied.
            case .overtaken: break
            }
        }
    }

    /// Resolves a push that was committed as this revision.
    mutating func resolve(_ pusher: Pusher, as committed: Committed) {
        guard let known = pushes.remove(pusher) else {
            preconditionFailure("revision \(committed.revision.value) belongs to no pending push")
        }
        let entry = PusherEntry(
            seq: known.push.seq, revision: committed.revision, digest: known.push.digest,
            used: committed.logged.time)
        pushers.committed(entry, by: pusher)
        var committed = committed
        committed.client = known.push.participant.introduction.client
        apply(committed)
        pushers.release(pusher)
        noteAnswered(known.push.session)
        effects.notes.changes += 1
        if known.push.base.next < committed.revision { effects.notes.rebases += 1 }
        let due = PendingAck(known, as: committed)
        if let index = receiver(of: known.push) {
            sessions[index].stream.setPendingAck(due)
        } else {
            reply(ackLine(due, in: known.push.participant.unit), to: known.push.session)
        }
    }

    /// The session whose stream gets the ack: the one that pushed, or another session of its pusher.
    private func receiver(of push: RoomPush) -> Int? {
        sessions.index(of: push.session) ?? sessions.lastIndex(of: push.pusher)
    }

    /// Adds a revision to the log, and moves every selection.
    mutating func apply(_ committed: Committed) {
        log.append(committed)
        checks.noteChange(at: clock.now)
        sessions.needDelivery()
        if presence.selectionCount == 0 { return }
        for index in sessions.indices { sessions[index].presence.move(through: committed.change) }
        for index in remoteSessions.indices {
            remoteSessions[index].presence.move(through: committed.change)
        }
    }
}

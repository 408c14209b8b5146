import CaretCore
import CaretLog
import CaretWire

/// Appends segments, one at a time. Nobody is informed of a segment before it is on disk.
extension RoomState {
    /// The limit of a segment's cost: a few milliseconds.
    private static let mostWork = 50_000

    /// Appends what is ready, unless an append is in flight.
    mutating func appendReady() {
        while pushes.hasReady, !pushes.isAppending, catchUp.isIdle, pause.isOver, !pushes.isHeldUp {
            let plan = planSegment()
            if plan.members.isEmpty { continue }
            let draft = plan.draft(after: [])
            // Pushes that change nothing at a revision that is on disk are answered at once.
            if draft.changes.isEmpty {
                resolve(by: draft)
                continue
            }
            append(plan, draft)
        }
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
        // A room that lost twice in a row might lose forever.
        call(pushes.conflicts < 2 ? .append(append) : .appendLocked(append, plan))
    }

    /// The store's answer to `append`.
    mutating func appended(_ outcome: AppendOutcome) {
        guard closedWith == nil, let segment = pushes.inFlight else { return }
        if case .committed = outcome {
            pushes.endAppend()
            resolve(by: segment.draft)
            headMoved()
        } else {
            notCommitted(segment, outcome)
        }
    }

    /// The store's answer to `appendLocked`.
    mutating func appendedLocked(
        missed: [LoggedChange], _ outcome: AppendOutcome
    ) {
        guard closedWith == nil, let segment = pushes.inFlight else { return }
        if case .committed = outcome {
            pushes.endAppend()
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
        // A head lower than the known one means damage, or a fork. And at this head nobody else was first.
        case .conflict(let found) where found <= head: reportDamage()
        case .conflict(let found):
            pushes.noteConflict()
            catchUp.storeNamed(found)
            pushes.returnSegment()
            readAfterHead()
        case .unknown:
            // The log shows whether the segment is there.
            pushes.outcomeIsUnknown()
            readAfterHead()
        case .gone:
            pushes.returnSegment()
            requestReload()
        case .unfit:
            refuse(
                segment,
                RequestRefusal(
                    .internal,
                    "what was to be saved does not fit document \(log.document.value) at revision \(head.value)"
                ))
        case .full: refuse(segment, RequestRefusal(.full))
        case .failed: refuse(segment, RequestRefusal(.failed))
        case .damaged: closeAsDamaged()
        }
    }

    private mutating func refuse(_ segment: SegmentInFlight, _ refusal: RequestRefusal) {
        pushes.endAppend()
        for member in segment.plan.members { resolve(member.push.pusher, refusing: refusal) }
        // The append would have reported the store's head.
        if catchUp.hasWaiting, !pause.awaits(.reload) { readAfterHead() }
    }

    // MARK: What is committed

    /// Resolves the pushes of a segment that is on disk.
    private mutating func resolve(by draft: SegmentDraft) {
        if !draft.changes.isEmpty { pushes.endConflict() }
        if let lineBreak = draft.lineBreak { log.setLineBreak(lineBreak) }
        for (pusher, outcome) in draft.outcomes {
            switch outcome {
            case .committed(let committed): resolve(pusher, as: committed)
            case .unchanged(let snapshot):
                if let resolved = resolve(pusher) { replyUnchanged(resolved.push, at: snapshot) }
            case .tooLarge(let bytes):
                let allowed = limits.announced.document
                resolve(
                    pusher,
                    refusing: RequestRefusal(
                        .tooLarge, "the document would have \(bytes) bytes, and \(allowed) are allowed"))
            // It was validated again when its pusher's change was applied.
            case .overtaken: break
            }
        }
    }

    /// A push becomes the next revision.
    mutating func resolve(_ pusher: Pusher, as committed: Committed) {
        guard let known = pushes.remove(pusher) else {
            preconditionFailure("revision \(committed.revision.value) is of a push that nobody sent")
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
        let due = AckDue(known, as: committed)
        if let index = receiver(of: known.push) {
            sessions[index].stream.owe(due)
        } else {
            reply(ackLine(due, in: known.push.participant.unit), to: known.push.session)
        }
    }

    /// The session whose stream contains the ack: the one that pushed, or another one of its pusher.
    private func receiver(of push: RoomPush) -> Int? {
        sessions.index(of: push.session) ?? sessions.lastIndex(of: push.pusher)
    }

    /// Adds a revision to the log, and moves every selection.
    mutating func apply(_ committed: Committed) {
        log.append(committed)
        checks.changed(at: clock.now)
        sessions.needDelivery()
        if presence.selectionCount == 0 { return }
        for index in sessions.indices { sessions[index].presence.move(through: committed.change) }
    }
}

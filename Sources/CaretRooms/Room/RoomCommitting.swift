import CaretCore
package import CaretLog
import CaretWire

/// The segments that a room appends: one at a time, and nobody is told of one before it is on disk.
extension RoomState {
    /// What a segment may cost: some milliseconds.
    private static let mostWork = 50_000

    /// Makes a segment of what is ready, unless one is in flight.
    mutating func formSegment() {
        while inFlight == nil, catchUp == .none, standstills.isEmpty, !isHeldUp, !ready.isEmpty {
            let plan = planSegment()
            if plan.members.isEmpty { continue }
            let draft = plan.draft(behind: [])
            // What all comes to nothing at a revision that is on disk is told at once.
            if draft.changes.isEmpty {
                settle(by: draft)
                continue
            }
            append(plan, draft)
        }
    }

    private mutating func planSegment() -> SegmentPlan {
        var plan = SegmentPlan(window.head, time: newestTime, limits: limits.announced)
        var taken = 0
        for pusher in ready {
            if plan.members.count == limits.segmentChanges || plan.work > RoomState.mostWork { break }
            if isHeldUp || !plan.members.isEmpty && mustBeFirst(pusher) { break }
            taken += 1
            guard let aim = aimAtHead(pusher), let known = pending[pusher] else { continue }
            plan.add(SegmentPlan.Member(push: known.push, aim: aim, whole: known.whole))
            // At once: a pusher whose earlier push was refused while it waited stands in the list twice.
            pending[pusher]?.stage = .inFlight(aim, at: plan.head.revision)
        }
        ready.removeFirst(taken)
        return plan
    }

    private mutating func append(_ plan: SegmentPlan, _ draft: SegmentDraft) {
        let append = Append(
            document: document, epoch: epoch, expected: head, changes: draft.changes,
            lineBreak: draft.lineBreak)
        inFlight = SegmentInFlight(append: append, plan: plan, draft: draft)
        // Whoever was overtaken twice in a row would be for ever.
        actions.append(conflicts < 2 ? .append(append) : .appendLocked(append, plan))
    }

    /// The store's answer to `append`.
    package mutating func appended(_ outcome: AppendOutcome) -> [RoomAction] {
        guard over == nil, let segment = inFlight else { return finished() }
        if case .committed = outcome {
            inFlight = nil
            settle(by: segment.draft)
            headMoved()
        } else {
            notCommitted(segment, outcome)
        }
        return finished()
    }

    /// The store's answer to `appendLocked`.
    package mutating func appendedLocked(
        missed: [LoggedChange], _ outcome: AppendOutcome
    ) -> [RoomAction] {
        guard over == nil, let segment = inFlight else { return finished() }
        if case .committed = outcome {
            inFlight = nil
            let draft = segment.plan.draft(behind: missed)
            for logged in missed where over == nil { takeIn(logged) }
            if over == nil {
                settle(by: draft)
                headMoved()
            }
        } else {
            notCommitted(segment, outcome)
        }
        return finished()
    }

    private mutating func notCommitted(_ segment: SegmentInFlight, _ outcome: AppendOutcome) {
        switch outcome {
        case .committed: break
        // A head lower than known is damage, or a fork; and at this head nobody else was first.
        case .conflict(let found) where found <= head: findDamage()
        case .conflict(let found):
            conflicts += 1
            storeHead = max(storeHead, found)
            giveBack(segment)
            readBehindHead()
        case .unknown:
            // Whether it is there is in the log.
            inFlight?.isUncertain = true
            readBehindHead()
        case .gone:
            giveBack(segment)
            needReload()
        case .unfit:
            refuse(
                segment,
                RequestRefusal(
                    .internal,
                    "what was to be saved does not fit document \(document.value) at revision \(head.value)"))
        case .full: refuse(segment, RequestRefusal(.full))
        case .failed: refuse(segment, RequestRefusal(.failed))
        case .damaged: damage()
        }
    }

    private mutating func refuse(_ segment: SegmentInFlight, _ refusal: RequestRefusal) {
        inFlight = nil
        for (pusher, _) in segment.draft.verdicts { settle(pusher, refusing: refusal) }
        // It would have told where the store's head is.
        if !waitingForHead.isEmpty, !standstills.contains(.reload) { readBehindHead() }
    }

    /// Lets the pushes of a segment that was not appended wait for the next one.
    mutating func giveBack(_ segment: SegmentInFlight) {
        inFlight = nil
        var back: [Pusher] = []
        for (pusher, _) in segment.draft.verdicts {
            guard case .inFlight(let aim, let revision)? = pending[pusher]?.stage else { continue }
            pending[pusher]?.stage = .ready(aim, at: revision)
            back.append(pusher)
        }
        ready = back + ready
    }

    // MARK: What is committed

    /// Settles the pushes of a segment that is on disk.
    private mutating func settle(by draft: SegmentDraft) {
        if !draft.changes.isEmpty { conflicts = 0 }
        if let lineBreak = draft.lineBreak { self.lineBreak = lineBreak }
        for (pusher, verdict) in draft.verdicts {
            switch verdict {
            case .committed(let committed): settle(pusher, as: committed)
            case .unchanged(let snapshot):
                if let settled = settle(pusher) { sendUnchanged(settled.push, at: snapshot) }
            case .tooLarge(let bytes):
                settle(
                    pusher,
                    refusing: RequestRefusal(
                        .tooLarge,
                        "the document would have \(bytes) bytes, and \(limits.announced.document) are allowed"
                    ))
            // Judged anew where that was taken in.
            case .overtaken: break
            }
        }
    }

    /// A push is the next revision.
    mutating func settle(_ pusher: Pusher, as committed: Committed) {
        guard let known = pending[pusher] else {
            preconditionFailure("revision \(committed.revision.value) is of a push that nobody sent")
        }
        let entry = PusherEntry(
            seq: known.push.seq, revision: committed.revision, digest: known.push.digest,
            used: committed.logged.time)
        pushers.committed(entry, by: pusher)
        var committed = committed
        committed.client = known.push.participant.introduction.client
        take(committed)
        settle(pusher)
        notes.changes += 1
        if known.push.base.next < committed.revision { notes.rebases += 1 }
        let due = AckDue(known, as: committed)
        if let place = receiver(of: known.push) {
            sessions[place].due = due
        } else {
            actions.append(.send(known.push.session, ackLine(due, in: known.push.participant.unit)))
        }
    }

    /// In whose stream the ack comes: that of the session that pushed, or of another one that its pusher has.
    private func receiver(of push: RoomPush) -> Int? {
        sessions.place(of: push.session) ?? sessions.lastIndex { $0.pusher == push.pusher }
    }

    /// Takes a revision into the log, and moves every selection.
    mutating func take(_ committed: Committed) {
        window.append(committed)
        newestTime = max(newestTime, committed.logged.time)
        checks.changed(at: clock.now)
        streamsWait = true
        if selectionCount == 0 { return }
        for place in sessions.indices {
            for index in sessions[place].selections.indices {
                sessions[place].selections[index] = sessions[place].selections[index].mapped(
                    through: committed.change)
            }
        }
    }
}

import CaretCore
import CaretLog
import CaretWire

/// Accepting pushes, and resolving them.
extension RoomState {
    /// Accepts, answers or refuses a push. The room must know the newest push of the pusher by now.
    mutating func validate(_ push: RoomPush, wasAccepted: Bool) {
        if push.rights == .none { return refuse(push, .notFound) }
        if !wasAccepted, push.edits != nil, !isOpen(push.session) { return refuse(push, .notOpen) }
        if let entry = pushers.entry(of: push.pusher), push.seq <= entry.seq {
            return answer(push, notNewerThan: entry)
        }
        if let known = pushes[push.pusher] { return answer(push, beside: known) }
        let whole: NormalText? =
            if case .text(let sent) = push.content { NormalText(sent) } else { nil }
        if let refusal = refusalOfRights(push) { return refuse(push, refusal) }
        if let whole, whole.text == text { return replyUnchanged(push, at: log.window.head) }
        if let refusal = refusalOfBase(push) { return refuse(push, refusal) }
        if withoutEffect.contains(push) { return replyUnchanged(push, at: log.window.head) }
        accept(push, whole, wasAccepted)
    }

    private func isOpen(_ session: SessionID) -> Bool {
        sessions.index(of: session).map { !sessions[$0].isEnding } ?? false
    }

    /// Answers a push that is not newer than its pusher's highest committed one. It is a repeat of the
    /// committed push, or it has a seq that was used or skipped before.
    private mutating func answer(_ push: RoomPush, notNewerThan entry: PusherEntry) {
        if push.seq == entry.seq, push.digest == entry.digest {
            let index = sessions.index(of: push.session)
            if let index, sessions[index].stream.pendingAck?.revision == entry.revision {
                sessions[index].stream.repeated(push)
            } else {
                answer(push, repeating: entry)
            }
            return
        }
        let what = push.seq == entry.seq ? "with other content" : "or skipped"
        refuse(
            push,
            RequestRefusal(
                .seqReused, "seq \(push.seq) was used \(what); the highest committed seq is \(entry.seq)"))
    }

    /// Answers a push while a push of the same pusher is pending. A repeat of the pending push is answered
    /// with it; any other push is refused.
    private mutating func answer(_ push: RoomPush, beside known: PendingPush) {
        if push.seq == known.push.seq, push.digest == known.push.digest {
            pushes.repeated(push)
        } else {
            refuse(push, .otherPushPending(push, beside: known.push))
        }
    }

    private func refusalOfRights(_ push: RoomPush) -> RequestRefusal? {
        if push.rights != .write { return .readOnly }
        guard let index = sessions.index(of: push.session) else { return nil }
        if sessions[index].mode == .watch {
            return RequestRefusal(
                .forbidden, "the document was opened only for watching; open it with mode edit to push")
        }
        // For the client, a push is in flight until its ack arrives, so the next push is refused until then.
        if let seq = sessions[index].stream.pendingAck?.committed.logged.seq {
            return RequestRefusal(
                .pushInFlight, "the push with seq \(seq) is committed, but its ack was not sent yet")
        }
        return nil
    }

    /// Why the push's base cannot be used.
    private func refusalOfBase(_ push: RoomPush) -> RequestRefusal? {
        let base = push.base
        let what = push.content == .restore ? "revision \(base.value)" : "base \(base.value)"
        if let epoch = push.epoch {
            if epoch != log.epochName {
                return RequestRefusal(.epochChanged, "the document has another epoch than the push")
            }
        } else if head > 0 {
            return RequestRefusal(
                .epochChanged,
                "a push without an epoch is allowed only at revision 0, and the document is at revision \(head.value)"
            )
        }
        if base > head { return .ahead(what, of: head) }
        if push.isExact, base < head { return .behind(base, head) }
        if base < log.start { return .trimmed(what, log.start) }
        if push.content == .restore { return nil }
        if let entry = pushers.entry(of: push.pusher), base < entry.revision {
            return RequestRefusal(
                .baseBeforeOwnPush,
                "\(what) is before revision \(entry.revision.value), which is your own latest push")
        }
        return refusalOfWork(push, edits: push.edits?.count ?? 0)
    }

    func refusalOfWork(_ push: RoomPush, edits: Int) -> RequestRefusal? {
        let missed = head.value - push.base.value
        let (work, overflows) = missed.multipliedReportingOverflow(by: edits + 1)
        if !overflows, work <= limits.rebase { return nil }
        return RequestRefusal(
            .baseTrimmed,
            "base \(push.base.value) is \(missed) revisions behind: rebasing \(edits) edits takes \(work) steps; at most \(limits.rebase) are allowed",
            cause: .work)
    }

    /// Charges the steps of a long rebase to the user of the push. If the user has too few steps left, it charges none and
    /// returns the refusal.
    mutating func refusalOfRate(_ push: RoomPush, edits: Int) -> RequestRefusal? {
        let steps = (head.value - push.base.value) * (edits + 1)
        guard steps > limits.rebaseAtOnce,
            let wait = rebaseRate.count(steps, of: push.pusher.user, at: clock.now)
        else { return nil }
        return RequestRefusal(
            .rateLimited,
            "rebasing \(edits) edits takes \(steps) steps; the pushes of a user to a document may take \(limits.rebase) in \(Limits.rebaseSeconds) seconds",
            retryAfterMilliseconds: wait)
    }

    /// Accepts a push. From now on, the room must answer it with an ack or a refusal. `wasAccepted` says whether the room
    /// accepted it before: then its steps are charged already.
    private mutating func accept(_ push: RoomPush, _ whole: NormalText?, _ wasAccepted: Bool) {
        if !wasAccepted, let edits = push.edits, let refusal = refusalOfRate(push, edits: edits.count) {
            return refuse(push, refusal)
        }
        let pusher = push.pusher
        pushers.retain(pusher)
        pushes.add(
            PendingPush(
                push, whole: whole, isFirstOfPusher: pushers.entry(of: pusher) == nil,
                wasAccepted: wasAccepted))
        if let text = log.window.text(at: push.base) {
            prepare(pusher, in: text)
        } else {
            call(.text(log.document, at: push.base))
        }
    }

    // MARK: Resolving

    /// Removes a resolved push. The caller sends the answer, before or after this call.
    @discardableResult
    mutating func resolve(_ pusher: Pusher) -> PendingPush? {
        guard let resolved = pushes.remove(pusher) else { return nil }
        pushers.release(pusher)
        noteAnswered(resolved.push.session)
        return resolved
    }

    mutating func resolve(_ pusher: Pusher, refusing refusal: RequestRefusal) {
        if let resolved = resolve(pusher) { refuse(resolved.push, refusal) }
    }

    /// Checks whether a closing session has waited for this answer.
    mutating func noteAnswered(_ session: SessionID) {
        if let index = sessions.index(of: session), sessions[index].isEnding { sessions.needDelivery() }
    }

    /// Validates an accepted push again, because the room's knowledge of its pusher is outdated.
    mutating func validateAgain(_ pusher: Pusher) {
        if let resolved = resolve(pusher) { submit(.push(resolved.push, wasAccepted: true)) }
    }
}

extension RequestRefusal {
    fileprivate static let readOnly = RequestRefusal(
        .forbidden, "you may read the document, but not write it")

    /// The refusal of a push while another push of its pusher is pending.
    static func otherPushPending(_ push: RoomPush, beside other: RoomPush) -> RequestRefusal {
        push.seq == other.seq
            ? RequestRefusal(.seqReused, "seq \(push.seq) belongs to a pending push with other content")
            : RequestRefusal(.pushInFlight, "the push with seq \(other.seq) is not answered yet")
    }

    /// The refusal of a push with these rights; nil if they suffice.
    static func ofRights(_ rights: Rights) -> RequestRefusal? {
        switch rights {
        case .none: .notFound
        case .read: .readOnly
        case .write: nil
        }
    }
}

import CaretCore
import CaretLog
import CaretWire

/// What becomes of a push as it comes.
extension RoomState {
    /// Decides about a push of which it is known what its pusher has pushed before.
    mutating func judge(_ push: RoomPush, wasTaken: Bool) {
        if push.rights == .none { return refuse(push, .notFound) }
        if !wasTaken, push.edits != nil, !isOpen(push.session) { return refuse(push, .notOpen) }
        if let entry = pushers.entry(of: push.pusher), push.seq <= entry.seq {
            return judge(push, behind: entry)
        }
        if let known = pending[push.pusher] { return judge(push, beside: known) }
        let whole: NormalText? =
            if case .text(let sent) = push.content { NormalText(sent) } else { nil }
        if let refusal = refusalOfRights(push) { return refuse(push, refusal) }
        if let whole, whole.text == text { return sendUnchanged(push, at: window.head) }
        if let refusal = refusalOfBase(push) { return refuse(push, refusal) }
        takeIn(push, whole)
    }

    func isOpen(_ session: SessionID) -> Bool {
        sessions.place(of: session).map { !sessions[$0].isEnding } ?? false
    }

    /// A push that is not newer than the highest committed one: its repeat, or another push of a seq that was used.
    private mutating func judge(_ push: RoomPush, behind entry: PusherEntry) {
        if push.seq == entry.seq, push.digest == entry.digest {
            if let place = sessions.place(of: push.session), sessions[place].due?.revision == entry.revision {
                sessions[place].due?.answer(push)
            } else {
                answer(push, repeating: entry)
            }
            return
        }
        let what = push.seq == entry.seq ? "with other content" : "or passed over"
        refuse(
            push,
            RequestRefusal(
                .seqReused, "seq \(push.seq) was used \(what); the highest committed is \(entry.seq)"))
    }

    /// A push while another one, or this one, is not settled.
    private mutating func judge(_ push: RoomPush, beside known: PendingPush) {
        if push.seq == known.push.seq, push.digest == known.push.digest {
            pending[push.pusher]?.take(push)
        } else {
            refuse(push, .unsettled(push, beside: known.push))
        }
    }

    private func refusalOfRights(_ push: RoomPush) -> RequestRefusal? {
        if push.rights != .write { return .readOnly }
        guard let place = sessions.place(of: push.session) else { return nil }
        if sessions[place].mode == .watch {
            return RequestRefusal(.forbidden, "the document was opened to be watched, not written")
        }
        // As long as its ack has not been handed over it is in flight for whoever sent it.
        if let due = sessions[place].due {
            return .inFlight(due.committed.logged.seq, "is committed, and its ack is on the way")
        }
        return nil
    }

    /// Why the push's base cannot be used.
    private func refusalOfBase(_ push: RoomPush) -> RequestRefusal? {
        let base = push.base
        let what = push.content == .restore ? "revision \(base.value)" : "base \(base.value)"
        if let epoch = push.epoch {
            if epoch != epochName {
                return RequestRefusal(.epochChanged, "the document has another history than the one named")
            }
        } else if head > 0, !push.isFirst {
            return RequestRefusal(
                .epochChanged,
                "without an epoch a push fits only revision 0, and the document is at \(head.value)")
        }
        if base > head { return RequestRefusal(.baseAhead, "\(what) is beyond the head \(head.value)") }
        if base < start { return .trimmed(what, start) }
        if push.content == .restore { return nil }
        if let entry = pushers.entry(of: push.pusher), base < entry.revision {
            return RequestRefusal(
                .baseBeforeOwnPush, "\(what) is before your own push at \(entry.revision.value)")
        }
        return refusalOfWork(push, edits: push.edits?.count ?? 0)
    }

    func refusalOfWork(_ push: RoomPush, edits: Int) -> RequestRefusal? {
        let behind = head.value - push.base.value
        let (work, overflows) = behind.multipliedReportingOverflow(by: edits + 1)
        if !overflows, work <= limits.rebase { return nil }
        return RequestRefusal(
            .baseTrimmed,
            "base \(push.base.value) is \(behind) revisions behind: with \(edits) edits \(work) steps, and \(limits.rebase) are allowed"
        )
    }

    /// Takes a push in: from now on it is settled by an ack or a refusal.
    private mutating func takeIn(_ push: RoomPush, _ whole: NormalText?) {
        let pusher = push.pusher
        pushers.retain(pusher)
        pending[pusher] = PendingPush(
            push: push, stage: .needsText(push.base), isFirstOfPusher: pushers.entry(of: pusher) == nil,
            whole: whole)
        if let text = window.text(at: push.base) {
            aim(pusher, in: text)
        } else {
            ask(.readText(push.base))
        }
    }

    // MARK: Settling

    /// A push is not pending any more; whoever calls has answered it, or does so next.
    @discardableResult
    mutating func settle(_ pusher: Pusher) -> PendingPush? {
        guard let settled = pending.removeValue(forKey: pusher) else { return nil }
        if case .working(let id, _) = settled.stage { working[id] = nil }
        pushers.release(pusher)
        noteAnswered(settled.push.session)
        return settled
    }

    mutating func settle(_ pusher: Pusher, refusing refusal: RequestRefusal) {
        if let settled = settle(pusher) { refuse(settled.push, refusal) }
    }

    /// A session that is to be closed may have waited for this.
    mutating func noteAnswered(_ session: SessionID) {
        if let place = sessions.place(of: session), sessions[place].isEnding { streamsWait = true }
    }

    /// A push that was taken is asked about once more, since what was known of its pusher is not so any more.
    mutating func judgeAgain(_ pusher: Pusher) {
        if let settled = settle(pusher) { take(.push(settled.push, wasTaken: true)) }
    }
}

extension RequestRefusal {
    fileprivate static let readOnly = RequestRefusal(.forbidden, "the document may be read here, not written")

    /// Of a push while another one of its pusher is not settled.
    static func unsettled(_ push: RoomPush, beside other: RoomPush) -> RequestRefusal {
        push.seq == other.seq
            ? RequestRefusal(.seqReused, "seq \(push.seq) is on its way with other content")
            : .inFlight(other.seq, "is not settled yet")
    }

    fileprivate static func inFlight(_ seq: Int64, _ why: String) -> RequestRefusal {
        RequestRefusal(.pushInFlight, "seq \(seq) \(why)")
    }

    /// Why a push with these rights is in no segment.
    static func ofRights(_ rights: Rights) -> RequestRefusal? {
        switch rights {
        case .none: .notFound
        case .read: .readOnly
        case .write: nil
        }
    }
}

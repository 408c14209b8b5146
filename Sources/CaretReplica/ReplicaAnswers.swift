import CaretCore
import CaretWire

// The server's answers to pushes.
extension Replica {
    mutating func apply(ackOf seq: Seq, at revision: Revision, isCommit: Bool, _ edits: [Edit]?) {
        guard link == .open else { return }
        guard let position, revision.isValid else { return reloadText() }
        if isCommit, revision == position.revision.next { return advance(byPush: seq, to: revision, edits) }
        // This ack is not for the next revision, so it does not advance the text. The replica already has the
        // ack's revision, or receives it later, by a `change` or by another ack.
        if seq == inFlight?.push.seq { resolve(at: revision) }
    }

    /// Applies an ack that is also the next revision in the stream.
    private mutating func advance(byPush seq: Seq, to revision: Revision, _ edits: [Edit]?) {
        guard let push = inFlight?.push, push.seq == seq, let position else {
            // The ack is for a push that the user has discarded, or that an earlier process of this client
            // sent.
            guard let edits, advance(by: edits, to: revision) else { return reloadText() }
            return
        }
        do throws(ChangeError) {
            let committed = try edits.map(Change.init) ?? push.change
            if committed == draft.inFlight {
                draft.accept()
            } else {
                // The server's edits differ from the replica's if the replica rebased the push over the
                // difference of two texts: the server rebased the push over each revision between these
                // texts.
                show(draft.resolve(in: try draft.committed.applying(committed)))
            }
            presence.committedChanged(by: committed)
        } catch {
            return reloadText()
        }
        self.position = WirePosition(epoch: position.epoch, revision: revision)
        isKnownToServer = true
        endFlight()
    }

    /// Notes that from this revision on, the text contains the outcome of the push in flight.
    mutating func resolve(at revision: Revision) {
        inFlight?.outcome = .resolved(at: revision)
        refusal = nil
    }

    /// Removes a resolved push once the stream has reached its revision. The committed text then contains the
    /// push's outcome.
    mutating func finishResolvedPush() {
        guard link == .open, case .resolved(let resolved) = inFlight?.outcome, resolved <= revision else {
            return
        }
        show(draft.resolve(in: draft.committed))
        endFlight()
    }

    /// Removes the push in flight, because the committed text contains its outcome.
    mutating func endFlight() {
        inFlight = nil
        refusal = nil
        isWaiting = false
        resubmissions = 0
        openBackoff.reset()
        pushBackoff.reset()
    }

    /// Handles the refusal of a push.
    mutating func apply(_ refusal: Refusal, of seq: Seq, retryAfter delay: Milliseconds?) {
        // The error shows that the document is not open on the server, whichever push was refused.
        if refusal.recovery == .reopen { return reopen() }
        // Ignores an answer to an earlier copy of the push, or to a push whose edits were resubmitted.
        guard let push = inFlight?.push, push.seq == seq, inFlight?.outcome == .awaited else { return }
        inFlight?.outcome = .unknown
        switch refusal.recovery {
        case .resendLater:
            isWaiting = true
            actions.append(.retry(after: pushBackoff.nextDelay(requested: delay)))
        case .resubmit, .resubmitAfterFullText: resubmit(push, after: refusal)
        case .keep: close(refusal)
        case .reopen, .askUser: askUser(refusal)
        }
    }

    /// Submits the edits under a new number, because the push itself will never be committed.
    private mutating func resubmit(_ push: SentPush, after refusal: Refusal) {
        // The server may have committed the push long ago, and may have forgotten this client since then. In
        // that case it would not recognise the edits in a new push, and would commit them twice.
        let mayBeForgotten = refusal == .baseTrimmed && inFlight?.wasResent == true && !isKnownToServer
        if mayBeForgotten || resubmissions == Replica.maxResubmissions { return askUser(refusal) }
        resubmissions += 1
        moveInFlightToUnsent()
        // The server would refuse a new push at the same position, or in the same epoch, for the same reason.
        let isAtOldPosition = push.position == position
        let isInOldEpoch = refusal == .epochChanged && push.position.epoch == position?.epoch
        if refusal == .seqReused {
            // The answer to the open contains the highest push number that was used.
            reopen()
        } else if refusal.recovery == .resubmitAfterFullText || isAtOldPosition || isInOldEpoch {
            reloadText()
        }
    }

    /// How often in a row the replica resubmits edits before it asks the user.
    static let maxResubmissions = 3

    private mutating func askUser(_ refusal: Refusal) {
        inFlight?.outcome = .refused
        self.refusal = refusal
    }

    /// Makes the edits of the push in flight unsent again, because the push was not committed.
    package mutating func moveInFlightToUnsent() {
        draft.moveInFlightToUnsent()
        inFlight = nil
    }

    /// Tries refused edits again, as a new push: the user may have changed them.
    mutating func retryRefused() {
        refusal = nil
        resubmissions = 0
        pushBackoff.reset()
        guard let inFlight, inFlight.outcome == .refused else { return }
        if !inFlight.wasResent { return moveInFlightToUnsent() }
        // The push was sent more than once, so the server may still commit another copy of it. The server
        // handles all copies of the push before it handles this new open. So the answer to the open shows
        // whether the push was committed.
        if link == .open { reopen() }
    }
}

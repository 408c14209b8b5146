import CaretCore
import CaretWire

// What the server answers to pushes.
extension Replica {
    mutating func apply(_ ack: Ack, _ edits: [Edit]?) {
        guard link == .open else { return }
        guard let place, ack.revision.isSound else { return startAgain() }
        if ack.isCommit, ack.revision == place.revision.next { return advance(by: ack, edits) }
        // Any other is only a reply: the stream has come to its revision already, or will.
        if Seq(ack.seq) == inFlight?.push.seq { settle(at: ack.revision) }
    }

    /// The next revision of the stream is an own one.
    private mutating func advance(by ack: Ack, _ edits: [Edit]?) {
        guard let push = inFlight?.push, push.seq == Seq(ack.seq), let place else {
            // A push of this client that the replica has given up, or of an earlier life.
            guard let edits, advance(by: edits, to: ack.revision) else { return startAgain() }
            return
        }
        do throws(ChangeError) {
            let committed = try edits.map(Change.init) ?? push.change
            if committed == draft.inFlight {
                draft.accept()
            } else {
                // The push was moved over a difference of two texts, where the server moved it over each revision.
                show(draft.settle(in: try draft.committed.applying(committed)))
            }
            presence.committedChanged(by: committed)
        } catch {
            return startAgain()
        }
        self.place = WirePosition(epoch: place.epoch, revision: ack.revision)
        isKnownToServer = true
        endFlight()
    }

    /// What came of the push in flight is in the text from this revision on.
    mutating func settle(at revision: Revision) {
        inFlight?.outcome = .settled(at: revision)
        refusal = nil
    }

    /// Once the stream has come so far that the outcome of the push in flight is in the committed text, it is in
    /// flight no more.
    mutating func takeInSettled() {
        guard link == .open, case .settled(let settled) = inFlight?.outcome, settled <= revision else {
            return
        }
        show(draft.settle(in: draft.committed))
        endFlight()
    }

    /// The outcome of the push in flight is in the committed text.
    mutating func endFlight() {
        inFlight = nil
        refusal = nil
        isWaiting = false
        timesAnew = 0
        openings.reset()
        pushes.reset()
    }

    /// A push was refused.
    mutating func apply(_ error: ErrorReport) {
        guard let number = error.seq else { return }
        let (seq, refusal) = (Seq(number), Refusal(error.code))
        // Whichever push it answers, the document is not open there.
        if refusal.remedy == .open { return reopen() }
        // Others have been answered for good: an earlier copy, or a push that went out anew.
        guard let push = inFlight?.push, push.seq == seq, inFlight?.outcome == .awaited else { return }
        inFlight?.outcome = .unknown
        switch refusal.remedy {
        case .wait:
            isWaiting = true
            actions.append(.retry(after: pushes.wait(asked: error.pause)))
        case .pushAnew, .pushAnewOnTheWholeText: pushAnew(push, after: refusal)
        case .keep: close(refusal)
        case .open, .ask: ask(refusal)
        }
    }

    /// The edits of a push that never will be committed go out under another number.
    private mutating func pushAnew(_ push: SentPush, after refusal: Refusal) {
        // A server that has forgotten the client takes a push for new that it may have committed long ago.
        let mayBeForgotten = refusal == .baseTrimmed && inFlight?.isRepeated == true && !isKnownToServer
        if mayBeForgotten || timesAnew == Replica.patience { return ask(refusal) }
        timesAnew += 1
        takeBack()
        // Made where the refused one was made, the next would be refused too.
        let isAtOldPlace = push.place == place
        let isInOldEpoch = refusal == .epochChanged && push.place.epoch == place?.epoch
        if refusal == .seqReused {
            // The answer tells the highest number that is used.
            reopen()
        } else if refusal.remedy == .pushAnewOnTheWholeText || isAtOldPlace || isInOldEpoch {
            startAgain()
        }
    }

    /// How often in a row edits go out anew by themselves.
    static let patience = 3

    private mutating func ask(_ refusal: Refusal) {
        inFlight?.outcome = .refused
        self.refusal = refusal
    }

    /// The push in flight was not committed, and its edits are unsent again.
    package mutating func takeBack() {
        draft.takeBack()
        inFlight = nil
    }

    /// What was refused is tried again: as a new push, since it may read otherwise by now.
    mutating func goOn() {
        refusal = nil
        timesAnew = 0
        pushes.reset()
        guard let inFlight, inFlight.outcome == .refused else { return }
        if !inFlight.isRepeated { return takeBack() }
        // Another copy may be on its way and do better. The document opens behind all of them, and tells.
        if link == .open { reopen() }
    }
}

extension Ack {
    /// It is the answer to a push that was committed by it, and the form in which own revisions come in the stream.
    fileprivate var isCommit: Bool { !unchanged && !duplicate }
}

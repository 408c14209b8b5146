import CaretCore

// What the server says about the text.
extension Replica {
    /// The server said something about this document.
    public mutating func received(_ message: Message) -> [Action] {
        switch message {
        case .opened(let opened): take(opened)
        case .openRefused(let refusal, let time): openRefused(refusal, retryAfter: time)
        case .gone(let departure): leave(departure)
        case .bye: goOffline()
        // What comes between closing and opening again is about an earlier opening.
        case _ where link != .open: break
        case .acked(let ack): take(ack)
        case .pushRefused(let seq, let refusal, let time): refused(seq, refusal, retryAfter: time)
        case .changed(let change): take(change)
        case .checked(let revision, let check): compare(check, at: revision)
        case .resynced(let resync): take(resync)
        case .peer(let peer, let revision): put(peer, at: revision)
        case .left(let session): if presence.remove(session) { showsPeers = true }
        case .rights(let rights): take(rights)
        }
        return finish()
    }

    private mutating func take(_ opened: Opened) {
        guard link == .opening else { return }
        guard opened.place.revision.isSound else { return startAgain() }
        if !presence.peers.isEmpty || !opened.peers.isEmpty { showsPeers = true }
        switch opened.content {
        case .resumed:
            guard !distrustsText, opened.place == place else { return startAgain() }
            resume(opened)
        case .text(let text):
            distrustsText = false
            replaceText(with: text, at: opened.place, own: opened.own)
            presence.replacePeers(with: opened.peers, in: text)
        }
        link = .open
        note(opened.own)
        presence.forgetTold()
        rights = opened.rights
        if rights == .none { return close(.notFound) }
        if refusal == .forbidden && rights == .write { refusal = nil }
        // All copies have been judged by now.
        if refusal == nil && inFlight?.outcome == .refused { takeBack() }
    }

    private mutating func resume(_ opened: Opened) {
        if let own = opened.own, own.seq == inFlight?.push.seq { settle(at: own.revision) }
        // Where they stand is told once the stream has come to the head.
        let peers = opened.peers.map { Peer(session: $0.session, selections: []) }
        presence.replacePeers(with: peers, in: draft.committed)
    }

    private mutating func take(_ resync: Resync) {
        guard resync.place.revision.isSound else { return startAgain() }
        replaceText(with: resync.text, at: resync.place, own: resync.own)
        note(resync.own)
        presence.forgetTold()
        inFlight?.loseAnswer()
    }

    /// Takes a whole text for the committed one; what is unacked is kept on top of it.
    private mutating func replaceText(with text: Text, at place: Place, own: OwnPush?) {
        let difference = diff(from: draft.committed, to: text)
        presence.committedChanged(by: difference)
        if let push = inFlight?.push, push.seq == own?.seq {
            show(draft.settle(in: text))
            endFlight()
        } else {
            show(draft.replaceCommitted(by: difference))
        }
        self.place = place
    }

    private mutating func note(_ own: OwnPush?) {
        isKnownToServer = own != nil
        if let own, own.seq >= nextSeq { nextSeq = own.seq.next }
    }

    private mutating func take(_ change: CommittedChange) {
        guard let place, (change.from ?? change.revision.before) == place.revision,
            change.revision > place.revision, change.revision.isSound
        else { return startAgain() }
        // A joined change may hold the push in flight, which only `own` can tell.
        if change.from != nil && inFlight != nil { return startAgain() }
        if !advance(by: change.edits, to: change.revision) { return startAgain() }
        // What several changes in one did to the selections may be something else than what each did.
        if change.from != nil { presence.forgetTold() }
    }

    /// Takes in edits of the stream; false, with nothing changed, where they do not fit.
    mutating func advance(by edits: [Edit], to revision: Revision) -> Bool {
        guard let place else { return false }
        do throws(ChangeError) {
            let change = try Change(edits)
            show(try draft.advance(by: change))
            presence.committedChanged(by: change)
        } catch {
            return false
        }
        self.place = Place(epoch: place.epoch, revision: revision)
        return true
    }

    private mutating func compare(_ check: TextCheck, at revision: Revision) {
        guard revision == self.revision else { return startAgain() }
        guard check.length == draft.committed.end, check == TextCheck(of: draft.committed) else {
            actions.append(.reportDivergence(at: revision))
            return startAgain()
        }
        openings.reset()
        presence.reachedHead(revision)
    }

    private mutating func put(_ peer: Peer, at revision: Revision) {
        // At another revision its places mean nothing here. The next one will do: presence may be lost.
        guard revision == self.revision else { return }
        presence.put(peer, in: draft.committed)
        showsPeers = true
    }

    private mutating func take(_ rights: Rights) {
        self.rights = rights
        switch rights {
        case .none: close(.notFound)
        case .read: break
        case .write: if refusal == .forbidden { goOn() }
        }
    }

    private mutating func openRefused(_ refusal: Refusal, retryAfter time: Milliseconds?) {
        guard link == .opening else { return }
        switch refusal.remedy {
        case .wait:
            link = .waiting
            actions.append(.retry(after: openings.wait(asked: time)))
        case .ask where refusal == .alreadyOpen: reopen()
        case .open, .pushAnew, .pushAnewOnTheWholeText, .keep, .ask: link = .closed(refusal)
        }
    }

    private mutating func leave(_ departure: Departure) {
        switch departure {
        // An opening that is on its way asks for the old name.
        case .renamed(let name):
            if link == .offline { return }
            inFlight?.loseAnswer()
            actions.append(.rename(name))
            open()
        // An opening that is on its way has an answer of its own.
        case .deleted: if link == .open { close(.notFound) }
        case .damaged: if link == .open { close(.damaged) }
        }
    }

    /// The document is not to be seen any more.
    mutating func close(_ refusal: Refusal) {
        inFlight?.loseAnswer()
        link = .closed(refusal)
    }
}

extension Revision {
    /// A revision that can be counted on from: what the server says may be any number.
    var isSound: Bool { value >= 0 && value < .max }

    fileprivate var before: Revision { Revision(value &- 1) }
}

package import CaretCore
package import CaretWire

// What the server says about the text.
extension Replica {
    /// The server sent a message about this document, in UTF-16. An error is one about a push.
    ///
    /// Throws, with nothing changed, where the message has a text or an edit that cannot be. Nothing else in it is
    /// trusted either: a message that does not fit leads to opening the document again. Of several opens only the
    /// answer to the last one is passed in.
    package mutating func received(_ message: ServerMessage) throws(TextError) -> [Action] {
        switch message {
        case .opened(let opened): apply(opened, try opened.content.text())
        case .change(let change): apply(change, try [Edit](change.edits))
        case .ack(let ack): apply(ack, try ack.edits.map { edits throws(TextError) in try [Edit](edits) })
        case .resync(let resync): apply(resync, try Text(resync.text.string))
        case .gone(let gone): leave(gone)
        case .bye: goOffline()
        // What comes between closing and opening again is about an earlier opening.
        case _ where link != .open: break
        case .error(let error): apply(error)
        case .check(let check): compare(check)
        case .peer(let peer): apply(peer)
        case .rights(let change): apply(change.rights)
        case .welcome, .closed, .listed, .document, .text, .revisions, .done, .ping, .pong, .admin: break
        }
        return finish()
    }

    /// The server would not open the document.
    package mutating func openRefused(_ error: ErrorReport) -> [Action] {
        if link == .opening { openRefused(Refusal(error.code), retryAfter: error.pause) }
        return finish()
    }

    /// A push was refused: by the server, or by the owner, who could not send it.
    package mutating func pushRefused(_ error: ErrorReport) -> [Action] {
        if link == .open { apply(error) }
        return finish()
    }

    private mutating func apply(_ opened: Opened, _ text: Text?) {
        guard link == .opening else { return }
        guard opened.revision.isSound else { return startAgain() }
        if !presence.peers.isEmpty || !opened.peers.isEmpty { showsPeers = true }
        if let text {
            distrustsText = false
            replaceText(with: text, at: opened.place, own: opened.own)
            presence.replacePeers(with: opened.peers.map { PeerSelections($0) }, in: text)
        } else {
            guard !distrustsText, opened.place == place else { return startAgain() }
            resume(opened)
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
        if let own = opened.own, Seq(own.seq) == inFlight?.push.seq { settle(at: own.revision) }
        // Where they stand is told once the stream has come to the head.
        let peers = opened.peers.map { PeerSelections(session: $0.session, selections: []) }
        presence.replacePeers(with: peers, in: draft.committed)
    }

    private mutating func apply(_ resync: Resync, _ text: Text) {
        guard link == .open else { return }
        guard resync.revision.isSound else { return startAgain() }
        let place = WirePosition(epoch: resync.epoch, revision: resync.revision)
        replaceText(with: text, at: place, own: resync.own)
        note(resync.own)
        presence.forgetTold()
        inFlight?.loseAnswer()
    }

    /// Takes a whole text for the committed one; what is unacked is kept on top of it.
    private mutating func replaceText(with text: Text, at place: WirePosition, own: OwnPush?) {
        let difference = diff(from: draft.committed, to: text)
        presence.committedChanged(by: difference)
        if let own, Seq(own.seq) == inFlight?.push.seq {
            show(draft.settle(in: text))
            endFlight()
        } else {
            show(draft.replaceCommitted(by: difference))
        }
        self.place = place
    }

    private mutating func note(_ own: OwnPush?) {
        isKnownToServer = own != nil
        if let own, Seq(own.seq) >= nextSeq { nextSeq = Seq(own.seq).next }
    }

    private mutating func apply(_ change: WireChange, _ edits: [Edit]) {
        guard link == .open else { return }
        guard let place, change.before == place.revision, change.revision > place.revision,
            change.revision.isSound
        else { return startAgain() }
        // A joined change may hold the push in flight, which only `own` can tell.
        if change.isJoined && inFlight != nil { return startAgain() }
        if !advance(by: edits, to: change.revision) { return startAgain() }
        // What several changes in one did to the selections may be something else than what each did.
        if change.isJoined { presence.forgetTold() }
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
        self.place = WirePosition(epoch: place.epoch, revision: revision)
        return true
    }

    private mutating func compare(_ check: Check) {
        guard check.revision == revision else { return startAgain() }
        guard check.length == draft.committed.end.value, check.crc32 == draft.committed.crc32 else {
            actions.append(.reportDivergence(at: revision))
            return startAgain()
        }
        openings.reset()
        presence.reachedHead(revision)
    }

    private mutating func apply(_ peer: PeerChange) {
        switch peer.news {
        case .left:
            if presence.remove(peer.session) { showsPeers = true }
        case .selected(let revision, let selections, _):
            // At another revision its offsets mean nothing here. The next one will do: presence may be lost.
            guard revision == self.revision else { return }
            let selections = selections.map { Selection($0) }
            presence.put(PeerSelections(session: peer.session, selections: selections), in: draft.committed)
            showsPeers = true
        }
    }

    private mutating func apply(_ rights: Rights) {
        self.rights = rights
        switch rights {
        case .none: close(.notFound)
        case .read: break
        case .write: if refusal == .forbidden { goOn() }
        }
    }

    private mutating func openRefused(_ refusal: Refusal, retryAfter time: Milliseconds?) {
        switch refusal.remedy {
        case .wait:
            link = .waiting
            actions.append(.retry(after: openings.wait(asked: time)))
        case .ask where refusal == .alreadyOpen: reopen()
        case .open, .pushAnew, .pushAnewOnTheWholeText, .keep, .ask: link = .closed(refusal)
        }
    }

    private mutating func leave(_ gone: Gone) {
        switch (gone.reason, gone.to) {
        // An opening that is on its way asks for the old name.
        case (.known(.renamed), let name?):
            if link == .offline { return }
            inFlight?.loseAnswer()
            actions.append(.rename(name))
            open()
        // An opening that is on its way has an answer of its own. The new name is told only to those who may read it.
        case (.known(.deleted), _), (.known(.renamed), nil): if link == .open { close(.notFound) }
        case (.known(.damaged), _): if link == .open { close(.damaged) }
        // It may mean anything, and a push or an open will find out.
        case (.unknown, _): break
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

extension Opened.Content {
    /// The whole text; nil where the stream goes on from the revision that was asked for.
    fileprivate func text() throws(TextError) -> Text? {
        switch self {
        case .resumed: nil
        case .text(let text), .textAfterAll(let text): try Text(text.string)
        }
    }
}

extension Opened {
    fileprivate var place: WirePosition { WirePosition(epoch: epoch, revision: revision) }
}

extension WireChange {
    /// The revision that it was made at.
    fileprivate var before: Revision {
        switch origin {
        case .one: revision.before
        case .squashed(let from): from
        }
    }

    /// It joins several revisions.
    fileprivate var isJoined: Bool {
        switch origin {
        case .one: false
        case .squashed: true
        }
    }
}

extension ErrorReport {
    /// How long the server asks to wait.
    var pause: Milliseconds? { retryAfterMilliseconds.map { Milliseconds($0) } }
}

extension Seq {
    init(_ number: Int) { self.init(Int64(number)) }
}

package import CaretCore
package import CaretWire

// Messages of the server about the document.
extension Replica {
    /// Handles a message about this document, with offsets in UTF-16. An `error` must be about a push.
    ///
    /// Throws and changes nothing if the message contains an invalid text or edit. If the message does not
    /// fit the replica, the replica opens the document again. After several opens, the owner passes in only
    /// the answer to the last open.
    package mutating func received(_ message: ServerMessage) throws(TextError) -> [ReplicaAction] {
        switch message {
        case .opened(let opened): apply(opened, try opened.content.text())
        case .change(let change): apply(change, try [Edit](change.edits))
        case .ack(let ack): apply(ack, try ack.edits.map { edits throws(TextError) in try [Edit](edits) })
        case .resync(let resync): apply(resync, try TextBuffer(resync.text.string))
        case .gone(let gone): apply(gone)
        case .bye: goOffline()
        // Until a new open is answered, other messages belong to the previous open.
        case _ where link != .open: break
        case .error(let error): apply(error)
        case .check(let check): apply(check)
        case .peer(let peer): apply(peer)
        case .rights(let change): apply(change.rights)
        case .welcome, .closed, .listed, .document, .text, .revisions, .tags, .done, .ping, .pong, .admin:
            break
        }
        return finish()
    }

    /// Handles the server's refusal to open the document.
    package mutating func openRefused(_ error: ErrorReport) -> [ReplicaAction] {
        if link == .opening { openRefused(Refusal(error.code), retryAfter: error.requestedDelay) }
        return finish()
    }

    /// Handles the refusal of a push by the server, or by the owner if it could not send the push.
    package mutating func pushRefused(_ error: ErrorReport) -> [ReplicaAction] {
        if link == .open { apply(error) }
        return finish()
    }

    private mutating func apply(_ opened: Opened, _ text: TextBuffer?) {
        guard link == .opening else { return }
        guard opened.revision.isValid else { return reloadText() }
        if !presence.peers.isEmpty || !opened.peers.isEmpty { peersChanged = true }
        if let text {
            needsFullText = false
            replaceText(with: text, at: opened.position, own: opened.own)
            presence.replacePeers(with: opened.peers.map { PeerSelections($0) }, in: text)
        } else {
            guard !needsFullText, opened.position == position else { return reloadText() }
            resume(opened)
        }
        link = .open
        record(opened.own)
        presence.forgetSent()
        rights = opened.rights
        if rights == .none { return close(.notFound) }
        if refusal == .forbidden && rights == .write { refusal = nil }
        // The server handled all copies of the push before this open, so it cannot commit a copy any more.
        if refusal == nil && inFlight?.outcome == .refused { moveInFlightToUnsent() }
    }

    private mutating func resume(_ opened: Opened) {
        if let own = opened.own, Seq(own.seq) == inFlight?.push.seq { resolve(at: own.revision) }
        // The peers have no selections yet: the server sends them after the stream has reached the head.
        let peers = opened.peers.map { PeerSelections(session: $0.session, selections: []) }
        presence.replacePeers(with: peers, in: draft.committed)
    }

    private mutating func apply(_ resync: Resync, _ text: TextBuffer) {
        guard link == .open else { return }
        guard resync.revision.isValid else { return reloadText() }
        let position = WirePosition(epoch: resync.epoch, revision: resync.revision)
        replaceText(with: text, at: position, own: resync.own)
        record(resync.own)
        presence.forgetSent()
        inFlight?.loseAnswer()
    }

    /// Replaces the committed text by a full text. Unacked edits are kept, and rebased over the difference.
    private mutating func replaceText(with text: TextBuffer, at position: WirePosition, own: OwnPush?) {
        let difference = diff(from: draft.committed, to: text)
        presence.committedChanged(by: difference)
        if let own, Seq(own.seq) == inFlight?.push.seq {
            show(draft.resolve(in: text))
            endFlight()
        } else {
            show(draft.replaceCommitted(by: difference))
        }
        self.position = position
    }

    private mutating func record(_ own: OwnPush?) {
        isKnownToServer = own != nil
        if let own, Seq(own.seq) >= nextSeq { nextSeq = Seq(own.seq).next }
    }

    private mutating func apply(_ change: WireChange, _ edits: [Edit]) {
        guard link == .open else { return }
        guard let position, change.before == position.revision, change.revision > position.revision,
            change.revision.isValid
        else { return reloadText() }
        // A squashed change may contain the push in flight. Only the `own` field of `opened` or `resync`
        // shows whether it contains that push.
        if change.isSquashed && inFlight != nil { return reloadText() }
        if !advance(by: edits, to: change.revision) { return reloadText() }
        // One squashed change may move selections differently than its parts did on the server.
        if change.isSquashed { presence.forgetSent() }
    }

    /// Applies the edits of a revision from the server. Returns false and changes nothing if the edits do not
    /// fit the text.
    mutating func advance(by edits: [Edit], to revision: Revision) -> Bool {
        do throws(ChangeError) {
            let change = try Change(edits)
            show(try draft.advance(by: change))
            presence.committedChanged(by: change)
        } catch {
            return false
        }
        position = position.map { WirePosition(epoch: $0.epoch, revision: revision) }
        return true
    }

    private mutating func apply(_ check: Check) {
        guard check.revision == revision else { return reloadText() }
        guard check.length == draft.committed.end.value, check.crc32 == draft.committed.crc32 else {
            actions.append(.reportDivergence(at: revision))
            return reloadText()
        }
        openBackoff.reset()
        presence.reachedHead(revision)
    }

    private mutating func apply(_ peer: PeerChange) {
        switch peer.news {
        case .left:
            if presence.remove(peer.session) { peersChanged = true }
        case .selected(let revision, let selections, _):
            // Offsets of another revision do not fit this text. The replica may ignore such selections,
            // because presence may be lost. The peer's next message will have newer selections.
            guard revision == self.revision else { return }
            let selections = selections.map { Selection($0) }
            presence.put(PeerSelections(session: peer.session, selections: selections), in: draft.committed)
            peersChanged = true
        }
    }

    private mutating func apply(_ rights: Rights) {
        self.rights = rights
        switch rights {
        case .none: close(.notFound)
        case .read: break
        case .write: if refusal == .forbidden { retryRefused() }
        }
    }

    private mutating func openRefused(_ refusal: Refusal, retryAfter delay: Milliseconds?) {
        switch refusal.recovery {
        case .resendLater:
            link = .waiting
            actions.append(.retry(after: openBackoff.nextDelay(requested: delay)))
        case .askUser where refusal == .alreadyOpen: reopen()
        case .reopen, .resubmit, .resubmitAfterFullText, .keep, .askUser: link = .closed(refusal)
        }
    }

    private mutating func apply(_ gone: Gone) {
        switch (gone.reason, gone.to) {
        // An unanswered open uses the old name, so the document must be opened again.
        case (.known(.renamed), let name?):
            if link == .offline { return }
            inFlight?.loseAnswer()
            actions.append(.rename(name))
            open()
        // A rename without a new name means that this client may not read the document any more. If the
        // server has not answered the open yet, the document is not closed here, because that answer will
        // come.
        case (.known(.deleted), _), (.known(.renamed), nil): if link == .open { close(.notFound) }
        case (.known(.damaged), _): if link == .open { close(.damaged) }
        // The server gave a reason that this client does not know. The next push or open will show what
        // happened.
        case (.unknown, _): break
        }
    }

    /// Closes the document, because the client cannot read it any more.
    mutating func close(_ refusal: Refusal) {
        inFlight?.loseAnswer()
        link = .closed(refusal)
    }
}

extension Revision {
    /// Whether the number is not negative and can grow. The server might send any number.
    var isValid: Bool { value >= 0 && value < .max }

    fileprivate var before: Revision { Revision(value &- 1) }
}

extension Opened.Content {
    /// The full text. Nil if the stream resumes at the requested revision.
    fileprivate func text() throws(TextError) -> TextBuffer? {
        switch self {
        case .resumed: nil
        case .text(let text), .textAfterAll(let text): try TextBuffer(text.string)
        }
    }
}

extension Opened {
    fileprivate var position: WirePosition { WirePosition(epoch: epoch, revision: revision) }
}

extension WireChange {
    /// The revision to which the change must be applied.
    fileprivate var before: Revision {
        switch origin {
        case .one: revision.before
        case .squashed(let from): from
        }
    }

    /// Whether the change merges several revisions.
    fileprivate var isSquashed: Bool {
        switch origin {
        case .one: false
        case .squashed: true
        }
    }
}

extension ErrorReport {
    /// How long the server asks the client to wait.
    var requestedDelay: Milliseconds? { retryAfterMilliseconds.map { Milliseconds($0) } }
}

extension Seq {
    init(_ number: Int) { self.init(Int64(number)) }
}

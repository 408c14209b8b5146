package import CaretCore
package import CaretWire

/// The server's answer to `open`, as a replica needs it.
package struct OpenedText {
    package let position: WirePosition
    /// The whole text. Nil if the stream resumes at the position that the replica requested.
    package let text: TextBuffer?
    package let rights: Rights
    /// The last push of this client that the server knows.
    package let own: OwnPush?
    package let peers: [PeerSelections]

    package init(
        position: WirePosition, text: TextBuffer?, rights: Rights, own: OwnPush?, peers: [PeerSelections]
    ) {
        self.position = position
        self.text = text
        self.rights = rights
        self.own = own
        self.peers = peers
    }
}

// What the server says about the document. If it does not fit the replica, the replica opens the document
// again. After several opens, the owner passes in only the answer to the last open. Until then, other
// messages belong to the previous open.
extension Replica {
    package mutating func opened(_ opened: OpenedText) -> [ReplicaAction] {
        apply(opened)
        return finish()
    }

    /// A revision was committed. With `start`, the edits are those of all revisions after `start`, merged.
    package mutating func changed(
        to revision: Revision, squashedFrom start: Revision?, _ edits: [Edit]
    ) -> [ReplicaAction] {
        apply(edits, to: revision, squashedFrom: start)
        return finish()
    }

    /// The server has answered a push. `isCommit` says whether the push was committed now, so that this answer
    /// stands for the push's revision in the stream. `edits` are the edits as committed, if they differ from
    /// those that were sent.
    package mutating func acked(
        _ seq: Seq, at revision: Revision, isCommit: Bool, _ edits: [Edit]?
    ) -> [ReplicaAction] {
        apply(ackOf: seq, at: revision, isCommit: isCommit, edits)
        return finish()
    }

    /// The server has sent the whole text again, because its position cannot be reached by changes.
    package mutating func resynced(
        _ text: TextBuffer, at position: WirePosition, own: OwnPush?
    ) -> [ReplicaAction] {
        resync(text, at: position, own: own)
        return finish()
    }

    /// The server has sent the length and the checksum of the text at its newest revision.
    package mutating func checked(_ revision: Revision, length: Int, crc32: UInt32) -> [ReplicaAction] {
        if link == .open { check(revision, length: length, crc32: crc32) }
        return finish()
    }

    /// A peer has selected something in the text at `revision`.
    package mutating func peerSelected(_ peer: PeerSelections, at revision: Revision) -> [ReplicaAction] {
        // Offsets of another revision do not fit this text. The replica may ignore such selections, because
        // presence may be lost. The peer's next message will have newer selections.
        if link == .open, revision == self.revision {
            presence.put(peer, in: draft.committed)
            peersChanged = true
        }
        return finish()
    }

    package mutating func peerLeft(_ session: WireString) -> [ReplicaAction] {
        if link == .open, presence.remove(session) { peersChanged = true }
        return finish()
    }

    package mutating func rightsChanged(_ rights: Rights) -> [ReplicaAction] {
        if link == .open { apply(rights) }
        return finish()
    }

    /// The document was deleted, renamed or damaged. `name` is its new name, if the client may read it.
    package mutating func gone(_ reason: OpenWord<GoneReason>, to name: WireString?) -> [ReplicaAction] {
        apply(reason, name)
        return finish()
    }

    /// The server has refused to open the document.
    package mutating func openRefused(_ refusal: Refusal, retryAfter delay: Milliseconds?) -> [ReplicaAction]
    {
        if link == .opening { applyOpenRefusal(refusal, retryAfter: delay) }
        return finish()
    }

    /// The server has refused a push, or the owner could not send it.
    package mutating func pushRefused(
        _ seq: Seq, _ refusal: Refusal, retryAfter delay: Milliseconds?
    ) -> [ReplicaAction] {
        if link == .open { apply(refusal, of: seq, retryAfter: delay) }
        return finish()
    }

    private mutating func apply(_ opened: OpenedText) {
        guard link == .opening else { return }
        guard opened.position.revision.isValid else { return reloadText() }
        if !presence.peers.isEmpty || !opened.peers.isEmpty { peersChanged = true }
        if let text = opened.text {
            needsFullText = false
            replaceText(with: text, at: opened.position, own: opened.own)
            presence.replacePeers(with: opened.peers, in: text)
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

    private mutating func resume(_ opened: OpenedText) {
        if let own = opened.own, Seq(own.seq) == inFlight?.push.seq { resolve(at: own.revision) }
        // The peers have no selections yet: the server sends them after the stream has reached the head.
        let peers = opened.peers.map { PeerSelections(session: $0.session, selections: []) }
        presence.replacePeers(with: peers, in: draft.committed)
    }

    private mutating func resync(_ text: TextBuffer, at position: WirePosition, own: OwnPush?) {
        guard link == .open else { return }
        guard position.revision.isValid else { return reloadText() }
        replaceText(with: text, at: position, own: own)
        record(own)
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

    private mutating func apply(_ edits: [Edit], to revision: Revision, squashedFrom start: Revision?) {
        guard link == .open else { return }
        guard let position, start ?? revision.before == position.revision, revision > position.revision,
            revision.isValid
        else { return reloadText() }
        // A squashed change may contain the push in flight. Only the `own` field of `opened` or `resync`
        // shows whether it contains that push.
        if start != nil && inFlight != nil { return reloadText() }
        if !advance(by: edits, to: revision) { return reloadText() }
        // One squashed change may move selections differently than its parts did on the server.
        if start != nil { presence.forgetSent() }
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

    private mutating func check(_ revision: Revision, length: Int, crc32: UInt32) {
        guard revision == self.revision else { return reloadText() }
        guard length == draft.committed.end.value, crc32 == draft.committed.crc32 else {
            actions.append(.reportDivergence(at: revision))
            return reloadText()
        }
        openBackoff.reset()
        presence.reachedHead(revision)
    }

    private mutating func apply(_ rights: Rights) {
        self.rights = rights
        switch rights {
        case .none: close(.notFound)
        case .read: break
        case .write: if refusal == .forbidden { retryRefused() }
        }
    }

    private mutating func applyOpenRefusal(_ refusal: Refusal, retryAfter delay: Milliseconds?) {
        switch refusal.recovery {
        case .resendLater:
            link = .waiting
            actions.append(.retry(after: openBackoff.nextDelay(requested: delay)))
        case .askUser where refusal == .alreadyOpen: reopen()
        case .reopen, .resubmit, .resubmitAfterFullText, .keep, .askUser: link = .closed(refusal)
        }
    }

    private mutating func apply(_ reason: OpenWord<GoneReason>, _ name: WireString?) {
        switch (reason, name) {
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

extension Seq {
    init(_ number: Int) { self.init(Int64(number)) }
}

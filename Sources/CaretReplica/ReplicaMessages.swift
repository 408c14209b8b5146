package import CaretCore
package import CaretWire

// Messages of the server as the wire has them. The module for browsers does not contain this file: it reads
// the parts of a message, and calls the methods in ReplicaStream.swift.
extension Replica {
    /// Handles a message about this document, with offsets in UTF-16. An `error` must be about a push.
    ///
    /// Throws and changes nothing if the message contains an invalid text or edit. If the message does not
    /// fit the replica, the replica opens the document again. After several opens, the owner passes in only
    /// the answer to the last open.
    package mutating func received(_ message: ServerMessage) throws(TextError) -> [ReplicaAction] {
        switch message {
        case .opened(let opened): return self.opened(try OpenedText(opened))
        case .change(let change):
            return changed(to: change.revision, squashedFrom: change.start, try [Edit](change.edits))
        case .ack(let ack):
            let edits = try ack.edits.map { edits throws(TextError) in try [Edit](edits) }
            return acked(Seq(ack.seq), at: ack.revision, isCommit: ack.isCommit, edits)
        case .resync(let resync):
            let position = WirePosition(epoch: resync.epoch, revision: resync.revision)
            return resynced(try TextBuffer(resync.text.string), at: position, own: resync.own)
        case .gone(let gone): return self.gone(gone.reason, to: gone.to)
        case .bye: return disconnected()
        case .error(let error): return pushRefused(error)
        case .check(let check): return checked(check.revision, length: check.length, crc32: check.crc32)
        case .peer(let peer): return received(peer)
        case .rights(let change): return rightsChanged(change.rights)
        case .welcome, .authenticated, .closed, .listed, .document, .text, .revisions, .blamed, .deleted,
            .tags, .notes, .noted, .done, .ping, .pong, .admin:
            return finish()
        }
    }

    /// Handles the server's refusal to open the document.
    package mutating func openRefused(_ error: ErrorReport) -> [ReplicaAction] {
        openRefused(Refusal(error.code), retryAfter: error.requestedDelay)
    }

    /// Handles the refusal of a push by the server, or by the owner if it could not send the push.
    package mutating func pushRefused(_ error: ErrorReport) -> [ReplicaAction] {
        guard let seq = error.seq else { return finish() }
        return pushRefused(Seq(seq), Refusal(error.code), retryAfter: error.requestedDelay)
    }

    private mutating func received(_ peer: PeerChange) -> [ReplicaAction] {
        switch peer.news {
        case .left: peerLeft(peer.session)
        case .selected(let revision, let selections, _):
            peerSelected(
                PeerSelections(session: peer.session, selections: selections.map { Selection($0) }),
                at: revision)
        }
    }
}

extension OpenedText {
    fileprivate init(_ opened: Opened) throws(TextError) {
        switch opened.content {
        case .resumed: text = nil
        case .text(let text), .textAfterAll(let text): self.text = try TextBuffer(text.string)
        }
        position = WirePosition(epoch: opened.epoch, revision: opened.revision)
        rights = opened.rights
        own = opened.own
        peers = opened.peers.map { PeerSelections($0) }
    }
}

extension WireChange {
    /// The revision before a change that merges several revisions. Nil for a change of one revision.
    fileprivate var start: Revision? {
        switch origin {
        case .one: nil
        case .squashed(let from): from
        }
    }
}

extension Ack {
    /// Whether the push was committed now, so that this ack stands for the push's revision in the stream. If
    /// false, the push changed nothing, or an earlier copy of it was committed.
    fileprivate var isCommit: Bool { !unchanged && !duplicate }
}

extension ErrorReport {
    /// How long the server asks the client to wait.
    fileprivate var requestedDelay: Milliseconds? { retryAfterMilliseconds.map { Milliseconds($0) } }
}

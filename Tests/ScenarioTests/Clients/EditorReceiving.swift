import CaretCore
import CaretReplica
import CaretWire

/// Receives the server's messages, and converts them from the unit of the connection to UTF-16.
extension Editor {
    func received(_ envelope: Envelope<ServerMessage>) {
        switch envelope.message {
        case .opened(let opened): handle(opened, envelope.id)
        case .change(let change): handle(change.document) { .change(converted(change, $0)) }
        case .ack(let ack): handle(ack.document) { .ack(converted(ack, $0)) }
        case .check(let check): handle(check.document) { .check(converted(check, $0)) }
        case .peer(let peer): handle(peer.document) { converted(peer, $0).map { .peer($0) } }
        case .resync(let resync): handle(resync.document) { _ in envelope.message }
        case .rights(let rights): handle(rights.document) { _ in envelope.message }
        case .gone(let gone): if !gone.isFollowed { handle(gone.document) { _ in envelope.message } }
        case .error(let error): handle(error, envelope.id)
        case .bye: for at in documents.indices { receive(envelope.message, at) }
        case .closed, .welcome, .authenticated, .listed, .document, .text, .revisions, .blamed, .deleted,
            .tags, .notes, .noted, .done, .ping, .pong, .admin:
            break
        }
    }

    private func handle(_ document: WireString, _ message: (EditorDocument) -> ServerMessage?) {
        guard let at = documents.firstIndex(where: { $0?.name == document }),
            let message = documents[at].flatMap(message)
        else { return }
        receive(message, at)
    }

    private func receive(_ message: ServerMessage, _ at: Int) {
        change(at, .received(message)) { receive(message, &$0) }
    }

    func receive(_ message: ServerMessage, _ document: inout EditorDocument) -> [ReplicaAction] {
        note(message, document.replica)
        do throws(TextError) {
            return try document.replica.received(message)
        } catch {
            world.fail(.text, "client \(machine.index) received an invalid text: \(error)")
            return []
        }
    }

    /// Counts rare events.
    private func note(_ message: ServerMessage, _ replica: Replica) {
        if let own = message.pushInText, replica.inFlight?.push.seq == own {
            world.referee.counts.ownInTexts += 1
        }
        switch message {
        case .error: world.referee.counts.refusals += 1
        case .gone(let gone) where gone.reason == .known(.damaged): world.referee.counts.damaged += 1
        case .resync(let resync) where resync.epoch != replica.position?.epoch:
            world.referee.counts.newEpochs += 1
        case .opened(let opened) where replica.position.map { $0.epoch != opened.epoch } == true:
            world.referee.counts.newEpochs += 1
        default: break
        }
    }

    private func handle(_ opened: Opened, _ id: RequestID?) {
        guard let at = documents.firstIndex(where: { $0?.lastOpen != nil && $0?.lastOpen == id }) else {
            return
        }
        documents[at]?.creates = false
        receive(.opened(converted(opened)), at)
    }

    private var isConverting: Bool { machine.unit != .utf16 }

    private func converted(_ check: Check, _ document: EditorDocument) -> Check {
        var check = check
        // The length in the check is in the unit of the connection, so it is replaced with the replica's
        // length in UTF-16. The CRC alone shows whether the texts differ.
        if isConverting { check.length = document.replica.committed.end.value }
        return check
    }

    private func converted(_ opened: Opened) -> Opened {
        if !isConverting { return opened }
        var opened = opened
        switch opened.content {
        case .resumed: break
        case .text(let said), .textAfterAll(let said):
            let text = TextBuffer(normal: said)
            opened.peers = opened.peers.map { peer in
                let selections = text.selections(peer.selections, in: machine.unit) ?? []
                return Peer(
                    session: peer.session, introduction: peer.introduction,
                    selections: selections.map { WireSelection($0) })
            }
        }
        return opened
    }

    private func converted(_ change: WireChange, _ document: EditorDocument) -> WireChange {
        if !isConverting { return change }
        var change = change
        var before = Revision(change.revision.value - 1)
        if case .squashed(let from) = change.origin { before = from }
        // After a close, changes of the old session may still arrive. The replica does not have the text that
        // they are based on, so their edits cannot be converted.
        if before != document.replica.position?.revision {
            change.edits = []
        } else if let edits = document.replica.committed.edits(change.edits, in: machine.unit) {
            change.edits = edits.map { WireEdit($0) }
        } else {
            world.fail(.text, "client \(machine.index) received edits that do not fit its text")
            change.edits = []
        }
        return change
    }

    private func converted(_ ack: Ack, _ document: EditorDocument) -> Ack {
        if !isConverting { return ack }
        var ack = ack
        // An ack without edits confirms the edits as sent, in the unit of the connection. Converted to
        // UTF-16, they may differ from the replica's edits. So the converted ack always has edits.
        let pushed = document.pushed?.seq == ack.seq ? document.pushed?.edits : nil
        let said = ack.edits ?? pushed
        ack.edits = nil
        // The replica uses the edits of an ack only if the ack is for its next revision.
        let isNext = ack.revision == document.replica.revision.next && !ack.unchanged && !ack.duplicate
        if isNext, let edits = said.flatMap({ document.replica.committed.edits($0, in: machine.unit) }) {
            ack.edits = edits.map { WireEdit($0) }
        }
        return ack
    }

    private func converted(_ peer: PeerChange, _ document: EditorDocument) -> PeerChange? {
        if !isConverting { return peer }
        guard case .selected(let revision, let said, let introduction) = peer.news else { return peer }
        guard revision == document.replica.revision,
            let selections = document.replica.committed.selections(said, in: machine.unit)
        else { return nil }
        var peer = peer
        peer.news = .selected(
            revision: revision, selections: selections.map { WireSelection($0) }, introduction: introduction)
        return peer
    }

    private func handle(_ error: ErrorReport, _ id: RequestID?) {
        if let at = documents.firstIndex(where: { $0?.lastOpen != nil && $0?.lastOpen == id }) {
            return change(at) { $0.replica.openRefused(error) }
        }
        guard let document = error.document, error.seq != nil else { return }
        handle(document) { _ in .error(error) }
    }
}

extension Push {
    fileprivate var edits: [WireEdit]? {
        switch content {
        case .edits(let edits): edits
        case .text: nil
        }
    }
}

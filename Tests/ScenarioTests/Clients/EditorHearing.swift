import CaretCore
import CaretReplica
import CaretWire

/// What the server says, as replicas understand it.
extension Editor {
    func heard(_ envelope: Envelope<ServerMessage>) {
        switch envelope.message {
        case .opened(let opened): hear(opened, envelope.id)
        case .change(let change): hear(change.document) { message(change, $0) }
        case .ack(let ack): hear(ack.document) { message(ack, $0) }
        case .check(let check):
            hear(check.document) { sheet in
                // The length is of another unit; the sum tells the same.
                let length = sheet.replica.committed.end
                return .checked(check.revision, TextCheck(length: length, crc32: check.crc32))
            }
        case .peer(let peer): hear(peer.document) { message(peer, $0) }
        case .resync(let resync):
            hear(resync.document) { _ in
                .resynced(
                    Resync(
                        place: Place(resync.epoch, resync.revision), text: Text(normal: resync.text),
                        own: resync.own.map { OwnPush($0) }))
            }
        case .rights(let rights): hear(rights.document) { _ in .rights(Rights(rights.rights)) }
        case .gone(let gone): hear(gone)
        case .error(let error): hear(error, envelope.id)
        case .bye: for at in sheets.indices { change(at) { $0.replica.received(.bye) } }
        case .closed, .welcome, .listed, .document, .text, .revisions, .done, .ping, .pong, .admin: break
        }
    }

    private typealias Resync = CaretReplica.Resync
    private typealias Place = CaretReplica.Place
    private typealias OwnPush = CaretReplica.OwnPush
    private typealias Rights = CaretReplica.Rights
    private typealias Peer = CaretReplica.Peer

    private func hear(_ document: WireString, _ message: (Sheet) -> Message?) {
        guard let at = sheets.firstIndex(where: { $0?.name == document }) else { return }
        change(at) { sheet in message(sheet).map { sheet.replica.received($0) } ?? [] }
    }

    private func hear(_ opened: CaretWire.Opened, _ id: RequestID?) {
        guard let at = sheets.firstIndex(where: { $0?.lastOpen != nil && $0?.lastOpen == id }) else { return }
        change(at) { sheet in
            sheet.creates = false
            let content: CaretReplica.Opened.Content
            var peers: [Peer] = []
            switch opened.content {
            case .resumed:
                content = .resumed
                peers = opened.peers.map { Peer(session: SessionID($0.session.string), selections: []) }
            case .text(let said), .textAfterAll(let said):
                let text = Text(normal: said)
                content = .text(text)
                peers = opened.peers.map { peer in
                    Peer(
                        session: SessionID(peer.session.string),
                        selections: text.selections(peer.selections, in: machine.unit) ?? [])
                }
            }
            return sheet.replica.received(
                .opened(
                    CaretReplica.Opened(
                        place: Place(opened.epoch, opened.revision), content: content,
                        rights: Rights(opened.rights), own: opened.own.map { OwnPush($0) }, peers: peers)))
        }
    }

    private func edits(_ edits: [WireEdit], _ sheet: Sheet) -> [Edit] {
        if let edits = sheet.replica.committed.edits(edits, in: machine.unit) { return edits }
        world.fail(.text, "client \(machine.index) is told of edits that do not fit")
        return []
    }

    private func message(_ change: WireChange, _ sheet: Sheet) -> Message? {
        var from: Revision?
        if case .squashed(let first) = change.origin { from = first }
        // What comes between closing and opening again is about a text that the replica may not have.
        if (from ?? Revision(change.revision.value - 1)) != sheet.replica.place?.revision {
            return .changed(CommittedChange(revision: change.revision, from: from, edits: []))
        }
        return .changed(
            CommittedChange(revision: change.revision, from: from, edits: edits(change.edits, sheet)))
    }

    private func message(_ ack: CaretWire.Ack, _ sheet: Sheet) -> Message? {
        let kind: CaretReplica.Ack.Kind =
            ack.unchanged ? .unchanged : ack.duplicate ? .duplicate : .committed
        // Only the next of the stream is made in the text, and only its edits are looked at.
        let isNext = ack.revision == sheet.replica.revision.next && kind == .committed
        // Edits that are literally those that were sent are so in the agreed unit; in another they may be others.
        let pushed = sheet.pushed?.seq == ack.seq ? sheet.pushed?.edits : nil
        let edits =
            isNext
            ? (ack.edits ?? pushed).flatMap { sheet.replica.committed.edits($0, in: machine.unit) } : nil
        return .acked(
            CaretReplica.Ack(seq: Seq(Int64(ack.seq)), revision: ack.revision, edits: edits, kind: kind))
    }

    private func message(_ peer: PeerChange, _ sheet: Sheet) -> Message? {
        let session = SessionID(peer.session.string)
        switch peer.news {
        case .left: return .left(session)
        case .selected(let revision, let said, _):
            guard revision == sheet.replica.revision,
                let selections = sheet.replica.committed.selections(said, in: machine.unit)
            else { return nil }
            return .peer(Peer(session: session, selections: selections), at: revision)
        }
    }

    private func hear(_ gone: Gone) {
        guard !gone.isFollowed, case .known(let reason) = gone.reason else { return }
        hear(gone.document) { _ in
            switch reason {
            case .damaged: .gone(.damaged)
            case .deleted: .gone(.deleted)
            case .renamed:
                gone.to.map { .gone(.renamed(to: CaretReplica.DocumentName($0.string))) } ?? .gone(.deleted)
            }
        }
    }

    private func hear(_ error: ErrorReport, _ id: RequestID?) {
        let wait = error.retryAfterMilliseconds.map { Milliseconds($0) }
        let refusal = Refusal(error.code)
        if let at = sheets.firstIndex(where: { $0?.lastOpen != nil && $0?.lastOpen == id }) {
            return change(at) { $0.replica.received(.openRefused(refusal, retryAfter: wait)) }
        }
        guard let document = error.document, let seq = error.seq else { return }
        hear(document) { _ in .pushRefused(Seq(Int64(seq)), refusal, retryAfter: wait) }
    }
}

extension CaretWire.Push {
    fileprivate var edits: [WireEdit]? {
        switch content {
        case .edits(let edits): edits
        case .text: nil
        }
    }
}

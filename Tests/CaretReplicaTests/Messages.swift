import CaretCore
import CaretReplica
import CaretWire

// Short forms of the server's messages about the one document of these tests.
extension ServerMessage {
    static let document: WireString = "notes"

    enum AckKind {
        case committed
        case duplicate
        case unchanged
    }

    static func opened(
        _ text: String, epoch: WireString = "e", at revision: Revision, rights: Rights = .write,
        own: OwnPush? = nil, peers: [Peer] = []
    ) -> ServerMessage {
        .opened(
            Opened(
                document: document, epoch: epoch, revision: revision, content: .text(WireString(text)),
                rights: rights, newline: .lf, peers: peers, own: own))
    }

    static func resumed(
        epoch: WireString = "e", at revision: Revision, rights: Rights = .write, own: OwnPush? = nil,
        peers: [Peer] = []
    ) -> ServerMessage {
        .opened(
            Opened(
                document: document, epoch: epoch, revision: revision, content: .resumed, rights: rights,
                newline: .lf, peers: peers, own: own))
    }

    static func resynced(
        _ text: String, epoch: WireString = "e", at revision: Revision, own: OwnPush? = nil
    ) -> ServerMessage {
        .resync(
            Resync(
                document: document, epoch: epoch, revision: revision, text: WireString(text), reason: .epoch,
                own: own))
    }

    static func changed(_ revision: Revision, from: Revision? = nil, _ edits: Edit...) -> ServerMessage {
        changed(revision, from: from, edits: edits)
    }

    static func changed(_ revision: Revision, from: Revision? = nil, edits: [Edit]) -> ServerMessage {
        let author = WireChange.Author(user: "ann", client: "c", time: 0)
        return .change(
            WireChange(
                document: document, revision: revision,
                origin: from.map { .squashed(from: $0) } ?? .one(author), edits: edits.map { WireEdit($0) }))
    }

    static func acked(
        _ seq: Seq, _ revision: Revision, _ edits: [Edit]? = nil, kind: AckKind = .committed
    ) -> ServerMessage {
        .ack(
            Ack(
                document: document, seq: Int(seq.value), revision: revision,
                edits: edits.map { $0.map { WireEdit($0) } }, unchanged: kind == .unchanged,
                duplicate: kind == .duplicate))
    }

    static func refused(_ seq: Seq, _ refusal: Refusal, after time: Milliseconds? = nil) -> ServerMessage {
        .error(ErrorReport(refusal, seq: seq, after: time))
    }

    static func checked(_ revision: Revision, of text: TextBuffer) -> ServerMessage {
        checked(revision, length: text.end.value, crc32: text.crc32)
    }

    static func checked(_ revision: Revision, length: Int, crc32: UInt32) -> ServerMessage {
        .check(Check(document: document, revision: revision, length: length, crc32: crc32))
    }

    static func peer(
        _ session: WireString, _ revision: Revision, _ selections: Selection...
    ) -> ServerMessage { peer(session, revision, selections) }

    static func peer(
        _ session: WireString, _ revision: Revision, _ selections: [Selection]
    ) -> ServerMessage {
        let news = PeerChange.News.selected(
            revision: revision, selections: selections.map { WireSelection($0) }, introduction: nil)
        return .peer(PeerChange(document: document, session: session, news: news))
    }

    static func left(_ session: WireString) -> ServerMessage {
        .peer(PeerChange(document: document, session: session, news: .left))
    }

    static func granted(_ rights: Rights) -> ServerMessage {
        .rights(RightsChange(document: document, rights: rights))
    }

    static func departed(_ reason: GoneReason, to name: WireString? = nil) -> ServerMessage {
        .gone(Gone(document: document, epoch: nil, reason: reason, to: name))
    }

    static let end = ServerMessage.bye(Bye(reason: .shuttingDown))
}

extension ErrorReport {
    init(_ refusal: Refusal, seq: Seq? = nil, after time: Milliseconds? = nil) {
        // Several error codes become the refusal `other`. For that refusal any of these codes will do.
        let code = ErrorCode.allCases.first { Refusal(.known($0)) == refusal } ?? .internal
        self.init(
            code, "no", document: ServerMessage.document, seq: seq.map { Int($0.value) },
            retryAfterMilliseconds: time?.value)
    }
}

extension Peer {
    init(_ session: WireString, _ selections: [Selection]) {
        self.init(
            session: session, introduction: Introduction(user: "ann", client: "c"),
            selections: selections.map { WireSelection($0) })
    }
}

extension OwnPush {
    init(_ seq: Seq, at revision: Revision) { self.init(seq: Int(seq.value), revision: revision) }
}

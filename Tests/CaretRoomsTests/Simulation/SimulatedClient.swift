import CaretCore
import CaretLog
import CaretRooms
import CaretWire
import TestSupport

/// What a client pushed and does not know the outcome of.
struct SimulatedPush: Equatable {
    let seq: Int64
    let base: Revision
    let content: RoomPush.Content
    let digest: Digest

    init(seq: Int64, base: Revision, content: RoomPush.Content) {
        self.seq = seq
        self.base = base
        self.content = content
        var hash = UInt64(0xCBF2_9CE4_8422_2325)
        func mix(_ number: UInt64) { hash = (hash ^ number) &* 0x100_0000_01B3 }
        mix(UInt64(base.value))
        switch content {
        case .edits(let edits):
            for edit in edits {
                mix(UInt64(edit.range.start))
                mix(UInt64(edit.range.end))
                for byte in edit.text.utf8 { mix(UInt64(byte)) }
            }
        case .text(let text): for byte in text.utf8 { mix(UInt64(byte)) }
        case .restore: mix(1 << 40)
        }
        digest = Digest(SIMD4(repeating: hash))
    }
}

/// A client that does literally what the stream says, and holds all of it against the log.
struct SimulatedClient {
    enum Link: Equatable {
        case offline
        /// Its connection stands, and the document is not open.
        case connected
        case opening(SessionID)
        case open(SessionID)
        case closing(SessionID)
        /// Its connection is gone, which the room has not been told.
        case cutOff(SessionID)
    }

    let number: Int
    let pusher: Pusher
    let unit: CodeUnit
    let mode: OpenMode
    let squashes: Bool
    var link = Link.offline
    /// Lines on their way to it.
    var queue: [(session: SessionID, line: [UInt8])] = []
    /// What it calls the document.
    var name: WireString = "a"
    var text: UnitText
    var epoch: WireString?
    var revision = Revision(0)
    /// Its own highest committed push, as far as it knows.
    var ownRevision = Revision(0)
    var inFlight: SimulatedPush?
    var lastSeq: Int64 = 0
    /// By what it called the push in flight when it sent it last, and where.
    var lastID = 0
    var sentIn: SessionID?
    /// The push of this number was sent to another server too, and committed there.
    var seqElsewhere: Int64?
    var rights = Rights.write
    /// The others that it knows of, by what their sessions are called.
    var peers: [WireString: KnownPeer] = [:]

    struct KnownPeer: Equatable {
        /// Nil where that is not known now.
        var selections: [WireSelection]?
    }

    /// How often it was told each thing that is worth to be known.
    private(set) var counts: [String: Int] = [:]
    private var decoder = MessageDecoder()

    init(_ number: Int, pusher: Pusher, unit: CodeUnit, mode: OpenMode, squashes: Bool) {
        self.number = number
        self.pusher = pusher
        self.unit = unit
        self.mode = mode
        self.squashes = squashes
        text = UnitText("", in: unit)
    }

    /// What is wrong with what a client is told.
    struct Wrong: Error, CustomStringConvertible {
        let description: String
        init(_ description: String) { self.description = description }
    }

    var session: SessionID? {
        switch link {
        case .offline, .connected: nil
        case .opening(let session), .open(let session), .closing(let session), .cutOff(let session): session
        }
    }

    func participant(in session: SessionID) -> Participant {
        Participant(
            pusher: pusher, name: SimulatedClient.name(of: session),
            introduction: Introduction(
                user: WireString(pusher.user.string), client: SimulatedClient.publicClient(pusher)),
            unit: unit)
    }

    static func name(of session: SessionID) -> WireString { WireString("s\(session.value)") }
    static func publicClient(_ pusher: Pusher) -> WireString { WireString("p-" + pusher.client.string) }

    /// The connection is gone, and what was on its way with it.
    mutating func cutOff() {
        switch link {
        case .opening(let session), .open(let session), .closing(let session): link = .cutOff(session)
        case .connected: link = .offline
        case .offline, .cutOff: return
        }
        queue = []
        peers = [:]
    }

    // MARK: What it is told

    /// Takes the next line.
    mutating func take(_ session: SessionID, _ line: [UInt8], against truth: LogTruth) throws {
        guard let envelope = try decoder.serverMessage(Array(line.dropLast())) else {
            throw Wrong("there is no such message")
        }
        // What comes between closing and opening again is about an earlier opening.
        if envelope.message.isOfStream, session != self.session { return }
        switch envelope.message {
        case .opened(let opened): try take(opened, truth)
        case .change(let change): try take(change, truth)
        case .ack(let ack): try take(ack, truth)
        case .peer(let peer): try take(peer)
        case .check(let check): try take(check, truth)
        case .resync(let resync): try take(resync, truth)
        case .error(let report): try take(report, envelope.id, session, truth)
        case .gone(let gone): take(gone)
        case .closed: leave(session)
        case .rights(let change):
            rights = change.rights
            if rights == .none { leave(session) }
        case .done: break
        case .welcome, .listed, .document, .text, .revisions, .ping, .pong, .bye, .admin:
            throw Wrong("a room does not say this")
        }
    }

    private mutating func leave(_ session: SessionID) {
        if self.session != session { return }
        link = .connected
        peers = [:]
    }

    private mutating func take(_ gone: Gone) {
        if let session { leave(session) }
        if let to = gone.to { name = to }
    }

    private mutating func take(_ opened: Opened, _ truth: LogTruth) throws {
        guard case .opening(let session) = link else { throw Wrong("nobody asked for opened") }
        link = .open(session)
        rights = opened.rights
        if opened.epoch != truth.epoch.wire { throw Wrong("opened with epoch \(opened.epoch)") }
        switch opened.content {
        case .resumed:
            counts["resumes", default: 0] += 1
            if opened.revision != revision { throw Wrong("resumed at \(opened.revision.value)") }
        case .text(let text), .textAfterAll(let text):
            try replaceText(text, at: opened.revision, truth)
        }
        epoch = opened.epoch
        peers = [:]
        for peer in opened.peers {
            peers[peer.session] = KnownPeer(selections: opened.content == .resumed ? nil : peer.selections)
            try check(peer.selections)
        }
        try take(opened.own, truth)
    }

    private mutating func take(_ resync: Resync, _ truth: LogTruth) throws {
        try requireOpen()
        counts["resyncs", default: 0] += 1
        try replaceText(resync.text, at: resync.revision, truth)
        try take(resync.own, truth)
        for peer in peers.keys { peers[peer] = KnownPeer() }
    }

    private mutating func replaceText(_ text: WireString, at revision: Revision, _ truth: LogTruth) throws {
        self.text = UnitText(text.string, in: unit)
        self.revision = revision
        try compare(truth)
    }

    private mutating func take(_ own: OwnPush?, _ truth: LogTruth) throws {
        guard let own else { return }
        try isCommitted(Int64(own.seq), at: own.revision, truth)
        ownRevision = max(ownRevision, own.revision)
        if inFlight?.seq == Int64(own.seq) { inFlight = nil }
    }

    private mutating func take(_ change: WireChange, _ truth: LogTruth) throws {
        try requireOpen()
        switch change.origin {
        case .one(let author):
            if change.revision != revision.next {
                throw Wrong("\(change.revision.value) follows \(revision.value)")
            }
            if author.client == SimulatedClient.publicClient(pusher) {
                throw Wrong("its own change as another's")
            }
            if author.user.string != truth.change(change.revision).pusher.user.string {
                throw Wrong("a change of the wrong user")
            }
        case .squashed(let from):
            counts["squashed", default: 0] += 1
            if from != revision || change.revision <= from || !squashes {
                throw Wrong("squashed from \(from.value)")
            }
        }
        try advance(change.edits, to: change.revision, truth)
        if case .squashed = change.origin { for peer in peers.keys { peers[peer] = KnownPeer() } }
    }

    private mutating func advance(_ edits: [WireEdit], to revision: Revision, _ truth: LogTruth) throws {
        for (name, peer) in peers {
            peers[name]?.selections = peer.selections.map { $0.map { text.mapped($0, through: edits) } }
        }
        if !text.apply(edits) { throw Wrong("edits of \(revision.value) have no place") }
        self.revision = revision
        try compare(truth)
    }

    private func compare(_ truth: LogTruth) throws {
        if revision > truth.head { throw Wrong("revision \(revision.value) is not committed") }
        if text != UnitText(truth.text(at: revision).string, in: unit) {
            throw Wrong("another text at \(revision.value)")
        }
    }

    private mutating func take(_ ack: Ack, _ truth: LogTruth) throws {
        let isInFlight = inFlight?.seq == Int64(ack.seq)
        if ack.unchanged {
            guard isInFlight else { return }
            if case .text(let sent)? = inFlight?.content, sent.string != truth.text(at: ack.revision).string {
                // What it comes to may still be nothing, where others have done the same.
                if truth.revision(of: Int64(ack.seq), by: pusher) != nil {
                    throw Wrong("unchanged, and committed")
                }
            }
            inFlight = nil
            counts["unchanged", default: 0] += 1
            return
        }
        try isCommitted(Int64(ack.seq), at: ack.revision, truth)
        if let edits = ack.edits { try compare(edits, at: ack.revision, truth) }
        ownRevision = max(ownRevision, ack.revision)
        counts[ack.duplicate ? "duplicates" : "acks", default: 0] += 1
        if !ack.duplicate, case .open = link, ack.revision == revision.next {
            guard let edits = ack.edits ?? (isInFlight ? inFlight?.edits : nil) else {
                throw Wrong("an ack of \(ack.seq) without edits, which it has not sent")
            }
            try advance(edits, to: ack.revision, truth)
        } else if !ack.duplicate, case .closing = link, ack.revision == revision.next {
            guard let edits = ack.edits ?? (isInFlight ? inFlight?.edits : nil) else { return }
            try advance(edits, to: ack.revision, truth)
        }
        if isInFlight { inFlight = nil }
    }

    private func compare(_ edits: [WireEdit], at revision: Revision, _ truth: LogTruth) throws {
        let logged = truth.change(revision).edits.map { edit in
            let start = edit.start.count(of: unit)
            return WireEdit(
                WireRange(start, start + edit.removed.count(of: unit)), WireString(edit.edit.text))
        }
        if logged != edits { throw Wrong("other edits than were committed as \(revision.value)") }
    }

    private func isCommitted(_ seq: Int64, at revision: Revision, _ truth: LogTruth) throws {
        if truth.revision(of: seq, by: pusher) != revision {
            throw Wrong("seq \(seq) is not what was committed as \(revision.value)")
        }
    }

    private mutating func take(_ peer: PeerChange) throws {
        try requireOpen()
        switch peer.news {
        case .left:
            if peers.removeValue(forKey: peer.session) == nil { throw Wrong("nobody left: \(peer.session)") }
        case .selected(let revision, let selections, let introduction):
            if revision != self.revision { throw Wrong("a peer at \(revision.value)") }
            let isKnown = peers[peer.session] != nil
            if isKnown != (introduction == nil) { throw Wrong("\(peer.session) is introduced wrongly") }
            try check(selections)
            peers[peer.session] = KnownPeer(selections: selections)
        }
    }

    private func check(_ selections: [WireSelection]) throws {
        for selection in selections
        where !text.isBoundary(selection.anchor) || !text.isBoundary(selection.head) {
            throw Wrong("a selection \(selection) of a text of \(text.units.count)")
        }
    }

    private mutating func take(_ check: Check, _ truth: LogTruth) throws {
        try requireOpen()
        counts["checks", default: 0] += 1
        let text = truth.text(at: check.revision)
        if check.revision != revision || check.length != self.text.units.count
            || check.crc32 != crc32(of: text)
        {
            throw Wrong("a wrong check at \(check.revision.value)")
        }
    }

    private func requireOpen() throws {
        switch link {
        case .open, .closing: return
        case .offline, .connected, .opening, .cutOff: throw Wrong("a stream without a session: \(link)")
        }
    }

    // MARK: What is refused

    private mutating func take(
        _ report: ErrorReport, _ id: RequestID?, _ session: SessionID, _ truth: LogTruth
    ) throws {
        guard case .known(let code) = report.code else { throw Wrong("an unknown code") }
        counts[code.rawValue, default: 0] += 1
        guard let seq = report.seq else { return try take(code, session) }
        // An earlier copy's answer is not the last word.
        guard inFlight?.seq == Int64(seq), id == .number(lastID) else { return }
        switch code {
        // Whether it was committed these do not say.
        case .notOpen, .notFound, .overloaded, .damaged, .pushInFlight: return
        case .baseTrimmed, .tooLarge, .storageFull, .storageFailed, .forbidden:
            if seqElsewhere == Int64(seq) {
                // This server could not know of it; the number is used up.
                ownRevision = max(ownRevision, truth.revision(of: Int64(seq), by: pusher) ?? ownRevision)
                inFlight = nil
                return
            }
            if truth.revision(of: Int64(seq), by: pusher) != nil {
                throw Wrong("refused and committed: \(seq)")
            }
            // Its seq is not used up.
            lastSeq -= 1
            inFlight = nil
        default: throw Wrong("refused for no reason: \(code.rawValue), \(report.message)")
        }
    }

    private mutating func take(_ code: ErrorCode, _ session: SessionID) throws {
        switch (code, link) {
        case (.notFound, .opening), (.overloaded, .opening), (.damaged, .opening): leave(session)
        case (.notOpen, _), (.notFound, _), (.tooLarge, _), (.overloaded, _), (.damaged, _): break
        default: throw Wrong("refused for no reason: \(code.rawValue)")
        }
    }
}

extension SimulatedPush {
    var edits: [WireEdit]? { if case .edits(let edits) = content { edits } else { nil } }
}

extension ServerMessage {
    /// It belongs to one session's opening.
    fileprivate var isOfStream: Bool {
        switch self {
        case .opened, .change, .peer, .check, .resync, .gone, .rights: true
        case .closed, .ack, .error, .done, .welcome, .listed, .document, .text, .revisions, .ping, .pong,
            .bye, .admin:
            false
        }
    }
}

import CaretCore
import CaretReplica
import CaretWire

// The server's messages about one document. The replica uses neither the document's name nor anything else
// that is missing here.
extension Reader {
    mutating func message(_ kind: EventKind) throws(Refusal) -> ServerMessage {
        switch kind {
        case .opened: return .opened(try opened())
        case .change: return .change(try wireChange())
        case .ack: return .ack(try ack())
        case .check:
            let (revision, length) = (try revision(), Int(try number()))
            let checksum = UInt32(bitPattern: try number())
            return .check(Check(document: "", revision: revision, length: length, crc32: checksum))
        case .peer: return .peer(PeerChange(document: "", session: try wireString(), news: try peerNews()))
        case .resync:
            let (epoch, revision, text) = (try wireString(), try revision(), try wireString())
            return .resync(
                Resync(
                    document: "", epoch: epoch, revision: revision, text: text, reason: .epoch, own: try own()
                ))
        case .rights: return .rights(RightsChange(document: "", rights: try rights()))
        case .gone: return .gone(try gone())
        case .bye: return .bye(Bye(reason: .idle))
        case .typed, .replaced, .selected, .undo, .redo, .retry, .discard, .connected, .disconnected,
            .timePassed,
            .openRefused, .pushRefused:
            throw malformed
        }
    }

    mutating func error() throws(Refusal) -> ErrorReport {
        let code = Int(try number())
        let seq = try flag() ? PushNumber(try seq().value) : nil
        let delay = Int(try number())
        var error = ErrorReport(unlisted: "", "")
        if ErrorCode.allCases.indices.contains(code) { error.code = .known(ErrorCode.allCases[code]) }
        error.seq = seq
        error.retryAfterMilliseconds = delay < 0 ? nil : delay
        return error
    }

    private mutating func opened() throws(Refusal) -> Opened {
        let (epoch, revision) = (try wireString(), try revision())
        let content: Opened.Content = try flag() ? .text(try wireString()) : .resumed
        let (rights, own) = (try rights(), try own())
        var peers: [Peer] = []
        for _ in 0..<UInt32(bitPattern: try number()) {
            let session = try wireString()
            peers.append(
                Peer(
                    session: session, introduction: Introduction(user: "", client: ""),
                    selections: try selections()))
        }
        return Opened(
            document: "", epoch: epoch, revision: revision, content: content, rights: rights, newline: .lf,
            peers: peers, own: own)
    }

    private mutating func wireChange() throws(Refusal) -> WireChange {
        let (revision, from) = (try revision(), try revision())
        let origin =
            from.value < 0
            ? WireChange.Origin.one(WireChange.Author(user: "", client: "", time: 0)) : .squashed(from: from)
        return WireChange(document: "", revision: revision, origin: origin, edits: try wireEdits())
    }

    private mutating func ack() throws(Refusal) -> Ack {
        let (seq, revision) = (PushNumber(try seq().value), try revision())
        let (unchanged, duplicate) = (try flag(), try flag())
        let edits = try flag() ? try wireEdits() : nil
        return Ack(
            document: "", seq: seq, revision: revision, edits: edits, unchanged: unchanged,
            duplicate: duplicate)
    }

    private mutating func peerNews() throws(Refusal) -> PeerChange.News {
        if try !flag() { return .left }
        let revision = try revision()
        return .selected(revision: revision, selections: try selections(), introduction: nil)
    }

    private mutating func gone() throws(Refusal) -> Gone {
        let reason = try number()
        let to = try flag() ? try wireString() : nil
        var gone = Gone(document: "", epoch: nil, reason: .deleted, to: to)
        switch reason {
        case 0: break
        case 1: gone.reason = .known(.renamed)
        case 2: gone.reason = .known(.damaged)
        default: gone.reason = .unknown("")
        }
        return gone
    }
}

// Parts of messages.
extension Reader {
    mutating func revision() throws(Refusal) -> Revision { Revision(Int(try number())) }

    mutating func flag() throws(Refusal) -> Bool { try number() != 0 }

    mutating func wireString() throws(Refusal) -> WireString { WireString(try string()) }

    mutating func seq() throws(Refusal) -> Seq {
        let low = UInt32(bitPattern: try number())
        return Seq(low, UInt32(bitPattern: try number()))
    }

    @inline(never)
    mutating func selections() throws(Refusal) -> [WireSelection] {
        var selections: [WireSelection] = []
        for _ in 0..<UInt32(bitPattern: try number()) {
            let anchor = Int(try number())
            selections.append(WireSelection(anchor, Int(try number())))
        }
        return selections
    }

    private mutating func wireEdits() throws(Refusal) -> [WireEdit] { try edits().map { WireEdit($0) } }

    private mutating func own() throws(Refusal) -> OwnPush? {
        guard try flag() else { return nil }
        let seq = try seq()
        return OwnPush(seq: PushNumber(seq.value), revision: try revision())
    }

    private mutating func rights() throws(Refusal) -> Rights {
        switch try number() {
        case 0: .none
        case 1: .read
        default: .write
        }
    }
}

extension Seq {
    /// Bits above the largest number that the wire allows are dropped.
    init(_ low: UInt32, _ high: UInt32) { self.init((Int64(high) << 32 | Int64(low)) & Seq.last.value) }
}

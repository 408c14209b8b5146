import CaretCore
import CaretReplica
import CaretWire

// The server's messages about one document, with only the parts that the replica uses.
extension Reader {
    /// Reads a message to its end, and passes it to the replica.
    mutating func passMessage(_ kind: EventKind, to replica: inout Replica) throws(Refusal) -> [ReplicaAction]
    {
        switch kind {
        case .openRefused:
            let (refusal, delay) = (try refusal(), try milliseconds())
            try finish()
            return replica.openRefused(refusal, retryAfter: delay)
        case .pushRefused:
            let (refusal, delay, seq) = (try refusal(), try milliseconds(), try seq())
            try finish()
            return replica.pushRefused(seq, refusal, retryAfter: delay)
        case .opened:
            let opened = try opened()
            try finish()
            return replica.opened(opened)
        case .change:
            let (revision, start) = (try revision(), try revision())
            let edits = try edits()
            try finish()
            return replica.changed(to: revision, squashedFrom: start.value < 0 ? nil : start, edits)
        case .ack:
            let (seq, revision) = (try seq(), try revision())
            let (unchanged, duplicate) = (try flag(), try flag())
            let edits = try flag() ? try edits() : nil
            try finish()
            return replica.acked(seq, at: revision, isCommit: !unchanged && !duplicate, edits)
        case .check:
            let (revision, length) = (try revision(), Int(try number()))
            let checksum = UInt32(bitPattern: try number())
            try finish()
            return replica.checked(revision, length: length, crc32: checksum)
        case .peer:
            let session = try wireString()
            if try !flag() {
                try finish()
                return replica.peerLeft(session)
            }
            let revision = try revision()
            let peer = PeerSelections(session: session, selections: try selections())
            try finish()
            return replica.peerSelected(peer, at: revision)
        case .resync:
            let (position, text, own) = (try position(), try text(), try own())
            try finish()
            return replica.resynced(text, at: position, own: own)
        case .rights:
            let rights = try rights()
            try finish()
            return replica.rightsChanged(rights)
        case .gone:
            let reason = try number()
            let name = try flag() ? try wireString() : nil
            try finish()
            return replica.gone(Reader.goneReason(reason), to: name)
        case .typed, .replaced, .selected, .undo, .redo, .retry, .discard, .connected, .disconnected,
            .timePassed:
            throw malformed
        }
    }

    private mutating func opened() throws(Refusal) -> OpenedText {
        let position = try position()
        let text = try flag() ? try text() : nil
        let (rights, own) = (try rights(), try own())
        var peers: [PeerSelections] = []
        for _ in 0..<UInt32(bitPattern: try number()) {
            peers.append(PeerSelections(session: try wireString(), selections: try selections()))
        }
        return OpenedText(position: position, text: text, rights: rights, own: own, peers: peers)
    }

    private static func goneReason(_ number: Int32) -> OpenWord<GoneReason> {
        switch number {
        case 0: .known(.deleted)
        case 1: .known(.renamed)
        case 2: .known(.damaged)
        default: .unknown("")
        }
    }
}

// Parts of messages.
extension Reader {
    mutating func position() throws(Refusal) -> WirePosition {
        WirePosition(epoch: try wireString(), revision: try revision())
    }

    mutating func flag() throws(Refusal) -> Bool { try number() != 0 }

    mutating func wireString() throws(Refusal) -> WireString { WireString(try string()) }

    mutating func seq() throws(Refusal) -> Seq {
        let low = UInt32(bitPattern: try number())
        return Seq(low, UInt32(bitPattern: try number()))
    }

    /// A negative number stands for none.
    mutating func milliseconds() throws(Refusal) -> Milliseconds? {
        let number = try number()
        return number < 0 ? nil : Milliseconds(Int(number))
    }

    @inline(never)
    mutating func selections() throws(Refusal) -> [Selection] {
        var selections: [Selection] = []
        for _ in 0..<UInt32(bitPattern: try number()) {
            let anchor = Offset(Int(try number()))
            selections.append(Selection(anchor: anchor, head: Offset(Int(try number()))))
        }
        return selections
    }

    private mutating func revision() throws(Refusal) -> Revision { Revision(Int(try number())) }

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

    /// Unknown numbers are those of refusals that this module does not know.
    private mutating func refusal() throws(Refusal) -> CaretReplica.Refusal {
        let number = Int(try number())
        return CaretReplica.Refusal.numbered.indices.contains(number) ? .numbered[number] : .other
    }
}

extension CaretReplica.Refusal {
    /// All refusals. The index of each is its number in events and answers.
    static let numbered: [CaretReplica.Refusal] = [
        .rateLimited, .overloaded, .storageFull, .storageFailed, .internalFault, .shuttingDown, .pushInFlight,
        .notOpen, .alreadyOpen, .epochChanged, .baseAhead, .baseTrimmed, .baseBeforeOwnPush, .seqReused,
        .badRange, .notFound, .damaged, .forbidden, .badText, .badEdits, .tooLarge, .lineTooLong, .other,
    ]
}

extension Seq {
    /// Bits above the largest number that the wire allows are dropped.
    init(_ low: UInt32, _ high: UInt32) { self.init((Int64(high) << 32 | Int64(low)) & Seq.last.value) }
}

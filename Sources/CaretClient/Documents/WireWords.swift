import CaretCore
import CaretReplica
import CaretWire

// What the wire and a replica call the same things.

extension Place {
    init(_ epoch: WireString, _ revision: Revision) {
        self.init(epoch: Epoch(epoch.string), revision: revision)
    }

    var wire: WirePosition {
        WirePosition(epoch: WireString(String(decoding: epoch.utf8, as: UTF8.self)), revision: revision)
    }
}

extension Selection {
    init(_ selection: WireSelection) {
        self.init(anchor: Offset(selection.anchor), head: Offset(selection.head))
    }
}

extension CaretWire.Push {
    /// The same push is the same line whenever it is sent.
    init(_ push: CaretReplica.Push, to document: WireString) {
        let edits = push.change.edits.map {
            WireEdit(WireRange($0.range.lowerBound.value, $0.range.upperBound.value), WireString($0.text))
        }
        self.init(
            document: document, epoch: push.place.wire.epoch, base: push.place.revision,
            seq: Int(push.seq.value), content: .edits(edits))
    }
}

extension CaretReplica.OwnPush {
    init(_ own: CaretWire.OwnPush) { self.init(seq: Seq(Int64(own.seq)), revision: own.revision) }
}

extension CaretReplica.Opened {
    init(_ opened: CaretWire.Opened) throws(TextError) {
        let content: Content
        switch opened.content {
        case .resumed: content = .resumed
        case .text(let text), .textAfterAll(let text): content = .text(try Text(text.string))
        }
        let peers = opened.peers.map { peer in
            CaretReplica.Peer(
                session: SessionID(peer.session.string), selections: peer.selections.map { Selection($0) })
        }
        self.init(
            place: Place(opened.epoch, opened.revision), content: content,
            rights: CaretReplica.Rights(opened.rights), own: opened.own.map { CaretReplica.OwnPush($0) },
            peers: peers)
    }
}

extension CaretReplica.Resync {
    init(_ resync: CaretWire.Resync) throws(TextError) {
        self.init(
            place: Place(resync.epoch, resync.revision), text: try Text(resync.text.string),
            own: resync.own.map { CaretReplica.OwnPush($0) })
    }
}

extension CommittedChange {
    init(_ change: WireChange) throws(TextError) {
        var from: Revision?
        if case .squashed(let first) = change.origin { from = first }
        self.init(revision: change.revision, from: from, edits: try [Edit](change.edits))
    }
}

extension CaretReplica.Ack {
    init(_ ack: CaretWire.Ack) throws(TextError) {
        var edits: [Edit]?
        if let said = ack.edits { edits = try [Edit](said) }
        let kind: Kind = ack.unchanged ? .unchanged : ack.duplicate ? .duplicate : .committed
        self.init(seq: Seq(Int64(ack.seq)), revision: ack.revision, edits: edits, kind: kind)
    }
}

extension [Edit] {
    init(_ edits: [WireEdit]) throws(TextError) {
        self = []
        for edit in edits { append(try Edit(edit)) }
    }
}

extension CaretReplica.Rights {
    init(_ rights: CaretWire.Rights) {
        switch rights {
        case .none: self = .none
        case .read: self = .read
        case .write: self = .write
        }
    }
}

extension Departure {
    /// Nil for a reason that is not known here.
    init?(_ gone: Gone) {
        switch gone.reason {
        case .known(.damaged): self = .damaged
        case .known(.deleted): self = .deleted
        // Its new name is told only to those who may read it.
        case .known(.renamed): self = gone.to.map { .renamed(to: DocumentName($0.string)) } ?? .deleted
        case .unknown: return nil
        }
    }
}

extension Refusal {
    init(_ code: OpenWord<ErrorCode>) {
        switch code {
        case .known(let code): self.init(code)
        case .unknown: self = .other
        }
    }

    private init(_ code: ErrorCode) {
        switch code {
        case .rateLimited: self = .rateLimited
        case .overloaded: self = .overloaded
        case .storageFull: self = .storageFull
        case .storageFailed: self = .storageFailed
        case .internal: self = .internalFault
        case .shuttingDown: self = .shuttingDown
        case .pushInFlight: self = .pushInFlight
        case .notOpen: self = .notOpen
        case .alreadyOpen: self = .alreadyOpen
        case .epochChanged: self = .epochChanged
        case .baseAhead: self = .baseAhead
        case .baseTrimmed: self = .baseTrimmed
        case .baseBeforeOwnPush: self = .baseBeforeOwnPush
        case .seqReused: self = .seqReused
        case .badRange: self = .badRange
        case .notFound: self = .notFound
        case .damaged: self = .damaged
        case .forbidden: self = .forbidden
        case .badText: self = .badText
        case .badEdits: self = .badEdits
        case .tooLarge: self = .tooLarge
        case .lineTooLong: self = .lineTooLong
        case .badJSON, .badMessage, .unknownType, .helloRequired, .helloTimeout, .unsupportedProtocol,
            .unauthorized, .alreadyHello, .badName, .exists:
            self = .other
        }
    }
}

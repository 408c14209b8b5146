import CaretCore
import CaretReplica
import CaretWire

/// One document as an editor has it: the replica, and what its owner keeps beside it.
struct Sheet {
    var replica: Replica
    /// What the document is called.
    var name: WireString
    /// It may be made where there is none.
    var creates = false
    var lastOpen: RequestID?
    /// The last push as it was sent.
    var pushed: CaretWire.Push?
    /// Which order to try again is the last one.
    var retry = 0
    /// What the owner sees.
    var view = Text()
    /// What was typed since the last push, as it was typed.
    var unmoved: Change?
    /// What was typed and may not be lost.
    var markers: Set<UInt32> = []
    var state = SavingState.opening

    init(_ name: WireString, firstSeq: Seq, _ mode: Mode) {
        self.name = name
        replica = Replica(firstSeq: firstSeq, mode: mode)
    }
}

extension CaretReplica.Refusal {
    init(_ code: OpenWord<ErrorCode>) {
        guard case .known(let code) = code else {
            self = .other
            return
        }
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

extension CaretReplica.Rights {
    init(_ rights: CaretWire.Rights) {
        switch rights {
        case .none: self = .none
        case .read: self = .read
        case .write: self = .write
        }
    }
}

extension CaretReplica.OwnPush {
    init(_ own: CaretWire.OwnPush) { self.init(seq: Seq(Int64(own.seq)), revision: own.revision) }
}

extension CaretReplica.Place {
    init(_ epoch: WireString, _ revision: Revision) {
        self.init(epoch: Epoch(epoch.string), revision: revision)
    }

    var wire: WirePosition {
        WirePosition(epoch: WireString(String(decoding: epoch.utf8, as: UTF8.self)), revision: revision)
    }
}

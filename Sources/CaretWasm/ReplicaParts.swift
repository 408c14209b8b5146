import CaretCore
import CaretReplica
import CaretWire

/// A part of a replica that the host can read.
enum ReplicaPart: Int32 {
    /// Position; rights: number; saving state: two numbers; flags `canUndo`, `canRedo` and `hasUnsaved`; the
    /// length of the text: number; the next seq; the user's selections.
    case state = 0
    /// The text that the user sees.
    case text = 1
    case committed = 2
    /// The change from `committed` to `text`.
    case unsaved = 3
    case inFlight = 4
    case unsent = 5
    /// The number of peers; for each peer its session: string, and selections.
    case peers = 6
    /// The bytes for `caret_replica_restore`. No bytes if nothing is unsaved.
    case keepsake = 7
}

// `replica` is inout, because the compiler would copy another argument. The function only reads it.
func write(_ part: ReplicaPart, of replica: inout Replica) -> Answer {
    switch part {
    case .text: return write(replica.text)
    case .committed: return write(replica.committed)
    case .unsaved: return write(replica.unsaved)
    case .inFlight: return write(replica.draft.inFlight)
    case .unsent: return write(replica.draft.unsent)
    case .state:
        var writer = Writer(payload: 128)
        writer.putState(of: &replica)
        return writer.finish()
    case .peers:
        var writer = Writer(payload: 64)
        let peers = replica.peers
        writer.put(peers.count)
        for peer in peers {
            writer.put(peer.session)
            writer.put(peer.selections)
        }
        return writer.finish()
    case .keepsake:
        var writer = Writer(payload: 64)
        if let saved = replica.savedReplica { writer.put(saved) }
        return writer.finish()
    }
}

extension Writer {
    fileprivate mutating func putState(of replica: inout Replica) {
        put(replica.position)
        switch replica.rights {
        case .none: put(0)
        case .read: put(1)
        case .write: put(2)
        }
        put(replica.state)
        put(replica.canUndo)
        put(replica.canRedo)
        put(replica.hasUnsaved)
        put(replica.text.end.value)
        put(replica.nextSeq)
        put(replica.selections)
    }

    mutating func put(_ action: ReplicaAction) {
        switch action {
        case .open(let position, let mode):
            put(0)
            put(position)
            put(mode == .watch)
        case .close: put(1)
        case .push(let push):
            put(2)
            put(push)
        case .select(let revision, let selections):
            put(3)
            put(revision.value)
            put(selections)
        case .reportDivergence(let revision):
            put(4)
            put(revision.value)
        case .retry(let delay):
            put(5)
            put(delay.value)
        case .edit(let change):
            put(6)
            put(change)
        case .showPeers: put(7)
        case .show(let state):
            put(8)
            put(state)
        case .rename(let name):
            put(9)
            put(name)
        }
    }

    mutating func put(_ push: SentPush) {
        put(push.position.epoch)
        put(push.position.revision.value)
        put(push.seq)
        put(push.change)
    }

    @inline(never)
    mutating func put(_ position: WirePosition?) {
        put(position != nil)
        guard let position else { return }
        put(position.epoch)
        put(position.revision.value)
    }

    mutating func put(_ flag: Bool) { put(flag ? 1 : 0) }

    mutating func put(_ string: WireString) { put(string.string) }

    mutating func put(_ seq: Seq) {
        put(Int(truncatingIfNeeded: seq.value))
        put(Int(truncatingIfNeeded: seq.value >> 32))
    }

    @inline(never)
    mutating func put(_ selections: [Selection]) {
        put(selections.count)
        for selection in selections {
            put(selection.anchor.value)
            put(selection.head.value)
        }
    }

    /// The state, and for a refusal its index in `Refusal.numbered`; otherwise 0.
    @inline(never)
    private mutating func put(_ state: SavingState) {
        switch state {
        case .saved: put(0)
        case .sending: put(1)
        case .opening: put(2)
        case .offline: put(3)
        case .refused(let refusal):
            put(4)
            return put(CaretReplica.Refusal.numbered.firstIndex(of: refusal) ?? 0)
        }
        put(0)
    }
}

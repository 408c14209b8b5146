import CaretCore
import CaretReplica
import CaretWire

// A keepsake: the parts of a replica that another replica, perhaps in a later process, needs to continue.
//
//     the format: number; position; the committed text: string; the next seq; the unsent change;
//     flag: whether a push is in flight. If so, its position without the flag, its seq and change; the
//     change in flight.

private let format: Int32 = 1

extension Writer {
    mutating func put(_ saved: SavedReplica) {
        put(Int(format))
        put(saved.position)
        put(saved.committed.length.utf8)
        put(saved.committed)
        put(saved.nextSeq)
        put(saved.unsent)
        put(saved.push != nil)
        guard let push = saved.push else { return }
        put(push)
        put(saved.inFlight)
    }
}

extension Reader {
    /// Reads a keepsake to its end.
    mutating func replica() throws(Refusal) -> Replica {
        let saved = try savedReplica()
        try finish()
        do throws(ChangeError) {
            return try Replica(saved)
        } catch {
            throw Refusal(error)
        }
    }

    private mutating func savedReplica() throws(Refusal) -> SavedReplica {
        if try number() != format { throw malformed }
        let position = try flag() ? try savedPosition() : nil
        let committed = try text()
        let (nextSeq, unsent) = (try seq(), try change())
        guard try flag() else {
            if position == nil && !committed.isEmpty { throw malformed }
            return SavedReplica(
                position: position, committed: committed, push: nil, inFlight: Change(), unsent: unsent,
                nextSeq: nextSeq)
        }
        let push = SentPush(position: try savedPosition(), seq: try seq(), change: try change())
        // Bytes of a damaged keepsake must not make a replica that breaks its own invariants.
        if position == nil || push.seq >= nextSeq && nextSeq != Seq.last { throw malformed }
        return SavedReplica(
            position: position, committed: committed, push: push, inFlight: try change(), unsent: unsent,
            nextSeq: nextSeq)
    }

    private mutating func savedPosition() throws(Refusal) -> WirePosition {
        let position = try self.position()
        let revision = position.revision.value
        if revision < 0 || revision >= Int(Int32.max) { throw malformed }
        return position
    }
}

package import CaretCore
package import CaretWire

/// The parts of a replica that must be on disk, so that the replica of a later process can continue from
/// them. Then no edit is lost, and no sent edit is committed twice.
package struct SavedReplica: Equatable, Sendable {
    package let position: WirePosition?
    package let committed: TextBuffer
    /// The push in flight as it was first sent. It must be resent in this form.
    package let push: SentPush?
    /// The change of the push, rebased over all changes committed since.
    package let inFlight: Change
    package let unsent: Change
    package let nextSeq: Seq

    package init(
        position: WirePosition?, committed: TextBuffer, push: SentPush?, inFlight: Change, unsent: Change,
        nextSeq: Seq
    ) {
        self.position = position
        self.committed = committed
        self.push = push
        self.inFlight = inFlight
        self.unsent = unsent
        self.nextSeq = nextSeq
    }
}

extension Replica {
    /// The parts to save. Nil if nothing is unsaved, because then a new replica is enough.
    package var savedReplica: SavedReplica? {
        if !hasUnsaved { return nil }
        return SavedReplica(
            position: position, committed: committed, push: inFlight?.push, inFlight: draft.inFlight,
            unsent: draft.unsent, nextSeq: nextSeq)
    }

    /// Continues from a saved replica. Throws if its parts do not fit each other.
    package init(_ savedReplica: SavedReplica) throws(ChangeError) {
        self.init(firstSeq: savedReplica.nextSeq)
        draft = try Draft(savedReplica)
        (isRestored, state) = (true, .offline)
        position = savedReplica.position
        if let push = savedReplica.push {
            inFlight = InFlight(push)
            // The server may have received the push before the process that saved the replica ended.
            inFlight?.outcome = .unknown
        }
    }
}

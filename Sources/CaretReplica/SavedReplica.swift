package import CaretCore
package import CaretWire

/// What must be kept of a replica so that a later one, after the end of the process, goes on where it was: nothing that
/// was typed is lost, and nothing that was sent is committed twice.
package struct Keepsake: Equatable, Sendable {
    package let place: WirePosition?
    package let committed: Text
    /// The push in flight as it was sent first, which is how it must be sent again.
    package let push: SentPush?
    /// What the push reads as after everything committed since.
    package let inFlight: Change
    package let unsent: Change
    package let nextSeq: Seq

    package init(
        place: WirePosition?, committed: Text, push: SentPush?, inFlight: Change, unsent: Change, nextSeq: Seq
    ) {
        self.place = place
        self.committed = committed
        self.push = push
        self.inFlight = inFlight
        self.unsent = unsent
        self.nextSeq = nextSeq
    }
}

extension Replica {
    /// Nil where nothing is unsaved: then a new replica is as good.
    package var keepsake: Keepsake? {
        if !hasUnsaved { return nil }
        return Keepsake(
            place: place, committed: committed, push: inFlight?.push, inFlight: draft.inFlight,
            unsent: draft.unsent, nextSeq: nextSeq)
    }

    /// Goes on from what was kept. Throws where its parts do not fit each other.
    package init(_ keepsake: Keepsake) throws(ChangeError) {
        self.init(firstSeq: keepsake.nextSeq)
        draft = try Draft(keepsake)
        (isRestored, state) = (true, .offline)
        place = keepsake.place
        if let push = keepsake.push {
            inFlight = InFlight(push)
            // Whether it arrived is what nobody can tell here.
            inFlight?.outcome = .unknown
            inFlight?.isRepeated = true
        }
    }
}

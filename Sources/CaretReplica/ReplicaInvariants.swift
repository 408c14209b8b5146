package import CaretCore
import CaretWire

extension Replica {
    /// Throws the first invariant that does not hold. All hold after every event, whatever the server sends.
    package func checkInvariants() throws(BrokenInvariant) {
        try BrokenInvariant.check(
            "every action was returned to the caller", actions.isEmpty && !showsPeers)
        try BrokenInvariant.check(
            "the text is the committed text after the change in flight and then the unsent change",
            draft.isSound)
        try checkPlace()
        try checkPush()
        try checkRefusal()
        try checkSelections()
        try BrokenInvariant.check(
            "the next undo and the next redo fit the text", own.fits(draft.text))
        try BrokenInvariant.check("the owner was told the state", state == currentState)
    }

    private func checkPlace() throws(BrokenInvariant) {
        try BrokenInvariant.check(
            "an open document has a place", link != .open || place != nil)
        try BrokenInvariant.check(
            "the committed text is empty until it has a place", place != nil || draft.committed.isEmpty)
        try BrokenInvariant.check(
            "the revision is one that can be counted on from", place?.revision.isSound ?? true)
        try BrokenInvariant.check(
            "an open document has a text that is trusted", link != .open || !distrustsText)
        try BrokenInvariant.check(
            "an open document may be read", link != .open || rights != .none)
    }

    private func checkPush() throws(BrokenInvariant) {
        try BrokenInvariant.check(
            "edits are in flight only with their push", inFlight != nil || draft.inFlight.isEmpty)
        try BrokenInvariant.check(
            "a replica that only watches has no push in flight", mode == .edit || inFlight == nil)
        try BrokenInvariant.check(
            "the number of the push in flight is below the next one",
            inFlight.map { $0.push.seq < nextSeq || nextSeq == Seq.last } ?? true)
        try BrokenInvariant.check(
            "a push has an answer, or waits for one, only while the document is open",
            link == .open || inFlight?.dependsOnLink != true)
        try BrokenInvariant.check(
            "a push that was committed is in flight only until the stream reaches its revision",
            inFlight?.settledRevision.map { revision < $0 } ?? true)
        try BrokenInvariant.check(
            "the replica waits to send only with a push in flight", !isWaiting || inFlight != nil)
        try BrokenInvariant.check(
            "whatever may be sent was sent",
            !maySend || (draft.unsent.isEmpty || inFlight != nil) && inFlight?.outcome != .unknown)
    }

    private func checkRefusal() throws(BrokenInvariant) {
        try BrokenInvariant.check(
            "a refusal is of the push in flight", refusal == nil || inFlight?.outcome == .refused)
        try BrokenInvariant.check(
            "a refused push has its refusal, unless the document is opened again to try once more",
            refusal != nil || inFlight?.outcome != .refused || link != .open)
        try BrokenInvariant.check(
            "edits go out under another number only a few times in a row",
            (0...Replica.patience).contains(timesAnew))
    }

    private func checkSelections() throws(BrokenInvariant) {
        try BrokenInvariant.check(
            "the owner's selections lie between scalars of the text",
            selections.allSatisfy { draft.text.hasPlace(for: $0) })
        try BrokenInvariant.check(
            "the selections that the server has lie between scalars of the committed text",
            presence.told?.allSatisfy { draft.committed.hasPlace(for: $0) } ?? true)
        try BrokenInvariant.check(
            "the peers' selections lie between scalars of the committed text",
            presence.peers.allSatisfy { $0.selections.allSatisfy { draft.committed.hasPlace(for: $0) } })
        try BrokenInvariant.check(
            "each peer is listed once",
            presence.peers.indices.allSatisfy { index in
                !presence.peers[..<index].contains { $0.session == presence.peers[index].session }
            })
        try BrokenInvariant.check(
            "a replica without a connection shows no peers", link != .offline || presence.peers.isEmpty)
        try BrokenInvariant.check(
            "the server has the selections, once nothing is unsaved",
            link != .open || hasUnsaved || presence.own == nil || presence.told == presence.own)
    }
}

extension Draft {
    /// Whether the text is what its parts give.
    fileprivate var isSound: Bool {
        do throws(ChangeError) {
            return try committed.applying(inFlight).applying(unsent) == text
        } catch {
            return false
        }
    }
}

extension InFlight {
    /// Whether the outcome means nothing any more once the connection is gone.
    fileprivate var dependsOnLink: Bool {
        switch outcome {
        case .awaited, .settled: true
        case .unknown, .refused: false
        }
    }

    fileprivate var settledRevision: Revision? {
        if case .settled(let revision) = outcome { revision } else { nil }
    }
}

extension OwnChanges {
    fileprivate func fits(_ text: Text) -> Bool {
        [nextUndo, nextRedo].allSatisfy { change in
            do throws(ChangeError) {
                _ = try change.map(text.applying)
                return true
            } catch {
                return false
            }
        }
    }
}

extension Text {
    fileprivate func hasPlace(for selection: Selection) -> Bool {
        isScalarBoundary(selection.anchor) && isScalarBoundary(selection.head)
    }
}

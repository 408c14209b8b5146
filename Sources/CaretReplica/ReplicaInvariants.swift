package import CaretCore
import CaretWire

extension Replica {
    /// Throws the first invariant that is broken. All invariants hold after every event, whatever the server
    /// sends.
    package func checkInvariants() throws(BrokenInvariant) {
        try BrokenInvariant.check(
            "every action was returned to the caller", actions.isEmpty && !peersChanged)
        try BrokenInvariant.check(
            "the text is the committed text with the change in flight and the unsent change applied",
            draft.isSound)
        try checkPosition()
        try checkPush()
        try checkRefusal()
        try checkSelections()
        try BrokenInvariant.check(
            "the next undo and the next redo fit the text", undoHistory.fits(draft.text))
        try BrokenInvariant.check(
            "the state that the owner was last given is the current state", state == currentState)
    }

    private func checkPosition() throws(BrokenInvariant) {
        try BrokenInvariant.check(
            "an open document has a known epoch and revision", link != .open || position != nil)
        try BrokenInvariant.check(
            "the committed text is empty until its epoch and revision are known",
            position != nil || draft.committed.isEmpty)
        try BrokenInvariant.check(
            "the revision number is valid and can grow", position?.revision.isValid ?? true)
        try BrokenInvariant.check(
            "the replica of an open document needs no reload of its text", link != .open || !needsFullText)
        try BrokenInvariant.check(
            "the client may read an open document", link != .open || rights != .none)
    }

    private func checkPush() throws(BrokenInvariant) {
        try BrokenInvariant.check(
            "edits are in flight only if a push is in flight", inFlight != nil || draft.inFlight.isEmpty)
        try BrokenInvariant.check(
            "a replica that only watches has no push in flight", mode == .edit || inFlight == nil)
        try BrokenInvariant.check(
            "the number of the push in flight is below the next push's number",
            inFlight.map { $0.push.seq < nextSeq || nextSeq == Seq.last } ?? true)
        try BrokenInvariant.check(
            "a push waits for its answer or its revision only while the document is open",
            link == .open || inFlight?.dependsOnLink != true)
        try BrokenInvariant.check(
            "an answered push stays in flight only until the replica has the revision of the answer",
            inFlight?.resolvedRevision.map { revision < $0 } ?? true)
        try BrokenInvariant.check(
            "the replica waits for a retry only if a push is in flight", !isWaiting || inFlight != nil)
        try BrokenInvariant.check(
            "a replica that may send has sent its edits, or waits for the outcome of an earlier push",
            !maySend || (draft.unsent.isEmpty || inFlight != nil) && inFlight?.outcome != .unknown)
    }

    private func checkRefusal() throws(BrokenInvariant) {
        try BrokenInvariant.check(
            "a stored refusal belongs to the push in flight", refusal == nil || inFlight?.outcome == .refused)
        try BrokenInvariant.check(
            "a refused push has a stored refusal, unless the document is being opened again",
            refusal != nil || inFlight?.outcome != .refused || link != .open)
        try BrokenInvariant.check(
            "edits are resubmitted only a few times in a row",
            (0...Replica.maxResubmissions).contains(resubmissions))
    }

    private func checkSelections() throws(BrokenInvariant) {
        try BrokenInvariant.check(
            "the user's selections begin and end at scalar boundaries of the text",
            selections.allSatisfy { draft.text.contains($0) })
        try BrokenInvariant.check(
            "the sent selections begin and end at scalar boundaries of the committed text",
            presence.sent?.allSatisfy { draft.committed.contains($0) } ?? true)
        try BrokenInvariant.check(
            "the peers' selections begin and end at scalar boundaries of the committed text",
            presence.peers.allSatisfy { $0.selections.allSatisfy { draft.committed.contains($0) } })
        try BrokenInvariant.check(
            "each peer is listed once",
            presence.peers.indices.allSatisfy { index in
                !presence.peers[..<index].contains { $0.session == presence.peers[index].session }
            })
        try BrokenInvariant.check(
            "a replica without a connection has no peers", link != .offline || presence.peers.isEmpty)
        try BrokenInvariant.check(
            "in an open document without unsaved edits, the user's selections were sent",
            link != .open || hasUnsaved || presence.own == nil || presence.sent == presence.own)
    }
}

extension Draft {
    /// Whether `text` equals the committed text with the change in flight and then the unsent change applied.
    fileprivate var isSound: Bool {
        do throws(ChangeError) {
            return try committed.applying(inFlight).applying(unsent) == text
        } catch {
            return false
        }
    }
}

extension InFlight {
    /// Whether the outcome of the push becomes unknown when the connection is lost.
    fileprivate var dependsOnLink: Bool {
        switch outcome {
        case .awaited, .resolved: true
        case .unknown, .refused: false
        }
    }

    fileprivate var resolvedRevision: Revision? {
        if case .resolved(let revision) = outcome { revision } else { nil }
    }
}

extension UndoHistory {
    fileprivate func fits(_ text: TextBuffer) -> Bool {
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

extension TextBuffer {
    fileprivate func contains(_ selection: Selection) -> Bool {
        isScalarBoundary(selection.anchor) && isScalarBoundary(selection.head)
    }
}

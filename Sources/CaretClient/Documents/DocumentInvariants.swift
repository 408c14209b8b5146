package import CaretCore
import CaretReplica

extension DocumentState {
    /// Throws the first invariant that is broken. All invariants hold after every event.
    package func checkInvariants() throws(BrokenInvariant) {
        try replica.checkInvariants()
        try BrokenInvariant.check(
            "while a document is being opened, the id of its open request is known",
            replica.link != .opening || lastOpen != nil)
        try BrokenInvariant.check(
            "each replica that waits to retry has a time for its retry",
            retryAt != nil || replica.link != .waiting && !replica.isWaiting)
        try BrokenInvariant.check(
            "the state that readers were last notified of is the current state", announcedState == state)
        try BrokenInvariant.check(
            "each view whose text the document has not accepted yet is bound to the document",
            unaccepted.keys.allSatisfy { unshown[$0] != nil })
        let end = replica.text.end
        try BrokenInvariant.check(
            "changes that a view has not shown yet lie within the document's text",
            unshown.values.allSatisfy { $0.fits(end) })
    }
}

extension Change {
    /// Whether this change can produce a text of length `end`: its last edit then ends at `end` or before.
    fileprivate func fits(_ end: Offset) -> Bool {
        guard let last = edits.last else { return true }
        let growth = edits.reduce(0) { $0 + $1.inserted.utf16 - ($1.range.upperBound - $1.range.lowerBound) }
        return last.range.upperBound + growth <= end
    }
}

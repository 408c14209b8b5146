package import CaretCore
import CaretReplica

extension DocumentState {
    /// Throws the first invariant that is broken. All invariants hold after every event.
    package func checkInvariants() throws(BrokenInvariant) {
        try replica.checkInvariants()
        try BrokenInvariant.check(
            "a document that is opening has the id of its open request",
            replica.link != .opening || lastOpen != nil)
        try BrokenInvariant.check(
            "a waiting replica has a time for its retry",
            retryAt != nil || replica.link != .waiting && !replica.isWaiting)
        try BrokenInvariant.check("readers were notified of the current state", announcedState == state)
        try BrokenInvariant.check(
            "a view with unaccepted text is bound to the document",
            unaccepted.keys.allSatisfy { unshown[$0] != nil })
        let end = replica.text.end
        try BrokenInvariant.check(
            "changes that a view has not shown yet lie within the text",
            unshown.values.allSatisfy { $0.fits(end) })
    }
}

extension Change {
    /// Whether the change can result in a text that ends at `end`.
    fileprivate func fits(_ end: Offset) -> Bool {
        guard let last = edits.last else { return true }
        let growth = edits.reduce(0) { $0 + $1.inserted.utf16 - ($1.range.upperBound - $1.range.lowerBound) }
        return last.range.upperBound + growth <= end
    }
}

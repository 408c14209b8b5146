package import CaretCore
import CaretReplica

extension DocumentState {
    /// Throws the first invariant that does not hold. All hold after every event.
    package func checkInvariants() throws(BrokenInvariant) {
        try replica.checkInvariants()
        try BrokenInvariant.check(
            "a document that is being opened knows the id of its request",
            replica.link != .opening || lastOpen != nil)
        try BrokenInvariant.check(
            "a replica that waits is called in time",
            retryAt != nil || replica.link != .waiting && !replica.isWaiting)
        try BrokenInvariant.check("the owner was told the state", toldState == state)
        try BrokenInvariant.check(
            "a view that holds text back is bound", withheld.keys.allSatisfy { unshown[$0] != nil })
        let end = replica.text.end
        try BrokenInvariant.check(
            "what a view has not been shown lies within the text", unshown.values.allSatisfy { $0.fits(end) })
    }
}

extension Change {
    /// Whether a text that ends here can be what this change makes of another one.
    fileprivate func fits(_ end: Offset) -> Bool {
        guard let last = edits.last else { return true }
        let growth = edits.reduce(0) { $0 + $1.inserted.utf16 - ($1.range.upperBound - $1.range.lowerBound) }
        return last.range.upperBound + growth <= end
    }
}

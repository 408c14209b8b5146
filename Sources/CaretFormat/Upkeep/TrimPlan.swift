/// A prepared trim of a history.
package struct TrimPlan {
    package let snapshot: StoredSnapshot
    /// If the new start is inside a segment: the part of that segment after the start.
    package let cut: Replacement?

    package init(snapshot: StoredSnapshot, cut: Replacement?) {
        self.snapshot = snapshot
        self.cut = cut
    }
}

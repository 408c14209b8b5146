/// How a history is made to begin later.
package struct TrimPlan {
    package let snapshot: StoredSnapshot
    /// Of the segment that the beginning falls into, what stands behind it.
    let cut: Replacement?
}

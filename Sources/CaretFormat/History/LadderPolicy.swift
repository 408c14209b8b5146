/// Decides which rungs of a `TextLadder` are kept.
package enum LadderPolicy {
    /// The texts of all rungs together have at most this many bytes.
    package static let mostBytes = 32 << 20
    /// A text gets a rung only if at least this many rungs of its size fit into the memory.
    package static let fewestRungs = 4
    /// Rungs far behind the newest rung are about this many revisions apart. A merged segment has at most as
    /// many revisions.
    package static let spacing = MergePlan.mostChanges
    /// Near the newest rung, rungs are closer to each other by this factor: 256 revisions apart. Most pushes
    /// that need an old text are a few hundred revisions behind.
    package static let densityAtHead = 64

    /// The largest distance that two neighbouring rungs need, if the newer of them is `behind` revisions
    /// older than the newest rung.
    package static func distance(behind: Int, spacing: Int) -> Int {
        min(spacing, max(spacing / densityAtHead, behind))
    }

    /// The indices of the rungs to keep. `revisions` are those of one document's rungs, in ascending order.
    ///
    /// Always keeps the oldest and the newest rung. Drops a rung if the rungs beside it are close enough to
    /// each other. So a dropped rung never makes a distance larger than `distance`, and at most two rungs are
    /// kept for each such distance.
    package static func kept(_ revisions: [Int], spacing: Int) -> [Int] {
        guard revisions.count > 2, let head = revisions.last else { return Array(revisions.indices) }
        var kept = [revisions.count - 1]
        var newer = head
        for index in revisions.indices.dropLast().dropFirst().reversed() {
            if newer - revisions[index - 1] <= distance(behind: head - newer, spacing: spacing) { continue }
            kept.append(index)
            newer = revisions[index]
        }
        kept.append(0)
        return kept.reversed()
    }
}

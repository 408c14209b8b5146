/// The runs of more than `longestChanceRun` scalars that occur once in each text, in the same order.
///
/// Often several edit scripts are equally short, and the search prefers the one that matches letters
/// earliest. After a new sentence is typed before old words, the search would match single letters of the new
/// sentence with letters of the old words. So the long runs of unchanged words are found first.
func longRuns(_ old: [UInt32], _ new: [UInt32]) -> [CommonRun] {
    let width = longestChanceRun + 1
    if min(old.count, new.count) < width || max(old.count, new.count) > maxScalarsForLongRuns { return [] }
    var runs: [CommonRun] = []
    // Where the last run ends. The loop extends a run only at its start, because the search finds the equal
    // text after the run.
    var (oldEnd, newEnd) = (0, 0)
    for pair in longestChain(of: uniqueWindows(old, new, width)) {
        var run = CommonRun(old: pair.old, new: pair.new, length: width)
        if !runs.isEmpty, run.old <= oldEnd, run.old - run.new == oldEnd - newEnd {
            let grown = run.old + width - oldEnd
            runs[runs.count - 1].length += grown
            (oldEnd, newEnd) = (oldEnd + grown, newEnd + grown)
        } else if run.old >= oldEnd, run.new >= newEnd {
            while run.old > oldEnd, run.new > newEnd, old[run.old - 1] == new[run.new - 1] {
                run.old -= 1
                run.new -= 1
                run.length += 1
            }
            runs.append(run)
            (oldEnd, newEnd) = (run.old + run.length, run.new + run.length)
        }
    }
    return runs
}

/// By chance, unrelated texts rarely share a run of more scalars than this. So an equal run of more scalars
/// always separates two edits, even two long edits.
let longestChanceRun = 12

/// If one side of a hunk has more scalars than this, only the search looks for runs.
private let maxScalarsForLongRuns = 1 << 16

/// The windows of `width` scalars that occur once in each text, in the order of the old text.
private func uniqueWindows(_ old: [UInt32], _ new: [UInt32], _ width: Int) -> [CommonRun] {
    let hashes = windowHashes(of: old, width)
    var table = WindowTable(windows: hashes.count)
    for (index, hash) in hashes.enumerated() { table.note(hash, at: index, isNew: false) }
    for (index, hash) in windowHashes(of: new, width).enumerated() {
        table.note(hash, at: index, isNew: true)
    }
    var pairs: [CommonRun] = []
    for (index, hash) in hashes.enumerated() {
        let other = table.partner(of: index, hash)
        if other < 0 { continue }
        var equal = 0
        // Different windows may have the same hash, so the scalars are compared.
        while equal < width, old[index + equal] == new[other + equal] { equal += 1 }
        if equal == width { pairs.append(CommonRun(old: index, new: other, length: 1)) }
    }
    return pairs
}

/// The hash of each window, computed from the hash of the previous window.
private func windowHashes(of scalars: [UInt32], _ width: Int) -> [UInt32] {
    let base: UInt32 = 0x0100_0193
    var (hash, leaving): (UInt32, UInt32) = (0, 1)
    var hashes: [UInt32] = []
    hashes.reserveCapacity(scalars.count)
    for (index, scalar) in scalars.enumerated() {
        hash = hash &* base &+ scalar
        if index < width {
            leaving = leaving &* base
        } else {
            hash = hash &- scalars[index - width] &* leaving
        }
        if index >= width - 1 { hashes.append(hash) }
    }
    return hashes
}

/// A hash table of windows: where each window of the old text occurs in the old and in the new text.
private struct WindowTable {
    private static let unseen: Int32 = -1
    private static let repeated: Int32 = -2
    /// A user can cause hash collisions on purpose. So a window that finds no free slot in this many steps is
    /// ignored.
    private static let maxProbes = 32

    private struct Entry {
        var hash: UInt32 = 0
        var old = WindowTable.unseen
        var new = WindowTable.unseen
    }

    private var entries: [Entry]

    init(windows: Int) {
        var count = 64
        while count < 2 * windows { count *= 2 }
        entries = [Entry](repeating: Entry(), count: count)
    }

    /// Adds a window. A window of the new text is added only if the old text has it too.
    mutating func note(_ hash: UInt32, at index: Int, isNew: Bool) {
        let slot = slot(of: hash)
        if slot < 0 { return }
        let index = Int32(truncatingIfNeeded: index)
        if !isNew {
            entries[slot].hash = hash
            entries[slot].old = entries[slot].old == WindowTable.unseen ? index : WindowTable.repeated
        } else if entries[slot].old >= 0 {
            entries[slot].new = entries[slot].new == WindowTable.unseen ? index : WindowTable.repeated
        }
    }

    /// Where the window at `index` in the old text occurs in the new text; negative unless it occurs exactly
    /// once in each text.
    func partner(of index: Int, _ hash: UInt32) -> Int {
        let slot = slot(of: hash)
        return slot >= 0 && Int(entries[slot].old) == index ? Int(entries[slot].new) : -1
    }

    /// The slot of a hash, used or free; negative if `maxProbes` slots have other hashes.
    private func slot(of hash: UInt32) -> Int {
        let first = Int(truncatingIfNeeded: hash &* 0x9E37_79B1 >> 8)
        for step in 0..<WindowTable.maxProbes {
            let slot = (first + step) & (entries.count - 1)
            if entries[slot].old == WindowTable.unseen || entries[slot].hash == hash { return slot }
        }
        return -1
    }
}

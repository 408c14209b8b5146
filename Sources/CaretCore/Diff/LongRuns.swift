/// The runs of more than `mostByChance` scalars that stand once in each text, in one order.
///
/// Among letters a shortest script has many forms, and the search takes the one that meets letters first: words that
/// stay would be spread over a sentence that was typed in front of them. So these words are found before.
func longRuns(_ old: [UInt32], _ new: [UInt32]) -> [CommonRun] {
    let width = mostByChance + 1
    if min(old.count, new.count) < width || max(old.count, new.count) > mostLookedThrough { return [] }
    var runs: [CommonRun] = []
    for pair in longestChain(of: uniqueWindows(old, new, width)) {
        guard let last = runs.last else {
            runs.append(CommonRun(old: pair.old, new: pair.new, length: width))
            continue
        }
        let (oldEnd, newEnd) = (last.old + last.length, last.new + last.length)
        if pair.old <= oldEnd, pair.old - last.old == pair.new - last.new {
            runs[runs.count - 1].length = pair.old - last.old + width
        } else if pair.old >= oldEnd, pair.new >= newEnd {
            runs.append(CommonRun(old: pair.old, new: pair.new, length: width))
        }
    }
    for index in runs.indices { extend(&runs, index, old, new) }
    return runs
}

/// Scalars that texts which have nothing to do with each other hardly have in common by chance: a longer stretch keeps
/// its edits apart, however much went in or out beside it.
let mostByChance = 12

/// In a longer text, without a line break, runs are left to the search.
private let mostLookedThrough = 1 << 16

/// Takes into a run what is equal in front of it and behind it, up to the runs beside it.
private func extend(_ runs: inout [CommonRun], _ index: Int, _ old: [UInt32], _ new: [UInt32]) {
    var run = runs[index]
    let before = index == 0 ? CommonRun(old: 0, new: 0, length: 0) : runs[index - 1]
    let after =
        index + 1 == runs.count
        ? CommonRun(old: old.count, new: new.count, length: 0) : runs[index + 1]
    while run.old > before.old + before.length, run.new > before.new + before.length,
        old[run.old - 1] == new[run.new - 1]
    {
        run = CommonRun(old: run.old - 1, new: run.new - 1, length: run.length + 1)
    }
    while run.old + run.length < after.old, run.new + run.length < after.new,
        old[run.old + run.length] == new[run.new + run.length]
    {
        run.length += 1
    }
    runs[index] = run
}

/// The windows of `width` scalars that stand once in each text, in the order of the old one.
private func uniqueWindows(_ old: [UInt32], _ new: [UInt32], _ width: Int) -> [CommonRun] {
    var table = WindowTable(windows: old.count - width + 1)
    forEachWindow(of: old, width) { table.noteOld($0, $1) }
    forEachWindow(of: new, width) { table.noteNew($0, $1) }
    var pairs: [CommonRun] = []
    forEachWindow(of: old, width) { place, hash in
        guard let other = table.partner(of: place, hash) else { return }
        // Two windows may have one hash.
        let isEqual = (0..<width).allSatisfy { old[place + $0] == new[other + $0] }
        if isEqual { pairs.append(CommonRun(old: place, new: other, length: 1)) }
    }
    return pairs
}

/// Calls with where each window begins and with its hash, which is that of the window before, moved on by one scalar.
private func forEachWindow(of scalars: [UInt32], _ width: Int, _ body: (Int, UInt64) -> Void) {
    let base: UInt64 = 0x1_0000_01B3
    var (hash, leaving): (UInt64, UInt64) = (0, 1)
    for index in 0..<width {
        hash = hash &* base &+ UInt64(scalars[index])
        if index > 0 { leaving = leaving &* base }
    }
    body(0, hash)
    for start in 1..<max(1, scalars.count - width + 1) {
        hash = (hash &- UInt64(scalars[start - 1]) &* leaving) &* base &+ UInt64(scalars[start + width - 1])
        body(start, hash)
    }
}

/// Where windows of the old text stand in it, and in the new one, by their hash.
private struct WindowTable {
    private static let (unseen, repeated): (Int32, Int32) = (-1, -2)
    /// Hashes can be made to meet on purpose: a window that finds no place within so many is not looked at.
    private static let mostSteps = 32

    private let mask: Int
    private var hashes: [UInt64]
    private var old: [Int32]
    private var new: [Int32]

    init(windows: Int) {
        var count = 64
        while count < 2 * windows { count *= 2 }
        mask = count - 1
        hashes = [UInt64](repeating: 0, count: count)
        old = [Int32](repeating: WindowTable.unseen, count: count)
        new = old
    }

    mutating func noteOld(_ place: Int, _ hash: UInt64) {
        guard let slot = slot(of: hash) else { return }
        hashes[slot] = hash
        old[slot] = old[slot] == WindowTable.unseen ? Int32(place) : WindowTable.repeated
    }

    mutating func noteNew(_ place: Int, _ hash: UInt64) {
        guard let slot = slot(of: hash), old[slot] != WindowTable.unseen else { return }
        new[slot] = new[slot] == WindowTable.unseen ? Int32(place) : WindowTable.repeated
    }

    /// Where the window at a place of the old text stands in the new one, if it stands once in each.
    func partner(of place: Int, _ hash: UInt64) -> Int? {
        guard let slot = slot(of: hash), old[slot] == Int32(place), new[slot] >= 0 else { return nil }
        return Int(new[slot])
    }

    /// Where a hash stands, or is to stand.
    private func slot(of hash: UInt64) -> Int? {
        let first = Int(truncatingIfNeeded: (hash &* 0x9E37_79B9_7F4A_7C15) >> 40)
        for step in 0..<WindowTable.mostSteps {
            let slot = (first + step) & mask
            if old[slot] == WindowTable.unseen || hashes[slot] == hash { return slot }
        }
        return nil
    }
}

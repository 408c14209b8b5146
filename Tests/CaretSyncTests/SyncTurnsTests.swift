import CaretSync
import CaretWire
import TestSupport
import Testing

@Suite("Turns of the files of a pass") struct SyncTurnsTests {
    private static let most = SyncTurns.Bound.files

    private func turns(_ count: Int) -> SyncTurns {
        SyncTurns((0..<count).map { WireString("file \(1_000 + $0)") })
    }

    @Test("as many files as the bound are in flight, and one more waits for the first")
    func bound() {
        var turns = turns(Self.most + 1)
        #expect(turns.begin() == .begin(0))
        for file in 0..<Self.most - 1 { #expect(turns.waits(file) == .begin(file + 1)) }
        #expect(turns.inFlight == Self.most)
        #expect(turns.waits(Self.most - 1) == .resume(0))
        #expect(turns.inFlight == Self.most)
        #expect(turns.finished(0) == .begin(Self.most))
        #expect(turns.inFlight == Self.most && turns.oldest == 1)
    }

    @Test("a file that is done counts as in flight while an earlier one is not")
    func window() {
        var turns = turns(2 * Self.most)
        #expect(turns.begin() == .begin(0))
        #expect(turns.waits(0) == .begin(1))
        for file in 1..<Self.most - 1 { #expect(turns.finished(file) == .begin(file + 1)) }
        #expect(turns.finished(Self.most - 1) == .resume(0))
        #expect(turns.finished(0) == .begin(Self.most) && turns.inFlight == 1)
    }

    @Test("no file begins while those in flight have as many bytes as the bound")
    func bytes() {
        for (count, isFull) in [(SyncTurns.Bound.bytes - 1, false), (SyncTurns.Bound.bytes, true)] {
            var turns = turns(3)
            #expect(turns.begin() == .begin(0))
            #expect(turns.waits(0, holding: count) == (isFull ? .resume(0) : .begin(1)))
            if isFull {
                // Even a file beyond the bound is synced, alone.
                #expect(turns.waits(0, holding: 10 * count) == .resume(0))
                #expect(turns.finished(0) == .begin(1))
            } else {
                #expect(turns.waits(1, holding: 1) == .resume(0))
                #expect(turns.waits(0, holding: 0) == .begin(2))
            }
        }
    }

    @Test("a file and another one below it are not in flight together")
    func nested() {
        for (first, second, isNested) in [
            ("a", "a/b", true), ("a/b", "a", true), ("a", "ab/c", false), ("a/b", "a/c", false),
            // A slash and a combining character can be one Character.
            ("a", "a/\u{301}", true),
        ] {
            var turns = SyncTurns([WireString(first), WireString(second)])
            #expect(turns.begin() == .begin(0))
            #expect(turns.waits(0) == (isNested ? .resume(0) : .begin(1)), "\(first) and \(second)")
            if isNested { #expect(turns.finished(0) == .begin(1)) }
        }
    }

    @Test("a file that must be alone waits for the others, and keeps the turn")
    func alone() {
        var turns = turns(4)
        #expect(turns.begin() == .begin(0))
        #expect(turns.waits(0) == .begin(1))
        #expect(turns.waits(1) == .begin(2))
        #expect(turns.waitsToBeAlone(2) == .resume(0))
        #expect(turns.waitsToBeAlone(0) == .resume(1))
        #expect(turns.finished(1) == .resume(0))
        #expect(turns.waitsToBeAlone(0) == nil)
        #expect(turns.waits(0) == .resume(0))
        #expect(turns.finished(0) == .resume(2))
        #expect(turns.finished(2) == .begin(3))
        #expect(turns.waitsToBeAlone(3) == nil)
        #expect(turns.finished(3) == .end)
    }

    @Test("any files with any waits are all done, in order and within the bounds", arguments: Seeds.first(50))
    func random(seed: UInt64) {
        var random = Seeded(seed)
        let names = ["a", "a/b", "a/b/c", "b", "b/a", "c"]
        let paths = (0..<random.number(1...100)).map {
            WireString("\(random.pick(names))\($0 % 3 == 0 ? "" : "/x\($0)")")
        }
        var turns = SyncTurns(paths)
        var next = turns.begin()
        var (begun, done): ([Int], Set<Int>) = ([], [])
        var alone: Int?
        for _ in 0..<10_000 {
            let file: Int
            switch next {
            case .begin(let new):
                #expect(alone == nil, "seed \(seed)")
                let others = begun.filter { !done.contains($0) }
                let isFree = others.allSatisfy {
                    !isBelow(paths[$0], paths[new]) && !isBelow(paths[new], paths[$0])
                }
                #expect(isFree && new == begun.count, "seed \(seed)")
                begun.append(new)
                file = new
            case .resume(let waiting): file = waiting
            case .end:
                #expect(done.count == paths.count, "seed \(seed)")
                return
            }
            #expect(
                alone ?? file == file && turns.running == file && turns.inFlight <= Self.most, "seed \(seed)")
            switch random.number(0...9) {
            case 0...5: next = turns.waits(file, holding: random.number(0...(1 << 20)))
            case 6:
                guard let other = turns.waitsToBeAlone(file) else {
                    alone = file
                    next = turns.waits(file)
                    #expect(next == .resume(file), "seed \(seed)")
                    continue
                }
                next = other
            default:
                done.insert(file)
                if alone == file { alone = nil }
                next = turns.finished(file)
            }
        }
        Issue.record("the turns do not end, seed \(seed)")
    }

    private func isBelow(_ path: WireString, _ folder: WireString) -> Bool {
        path.utf8.starts(with: (folder.string + "/").utf8)
    }
}

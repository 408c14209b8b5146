import CaretCore
import Glibc
import TestSupport

/// The diff of whole texts, compared to the standard library's `CollectionDifference` of their lines.
struct DiffBenchmarks {
    let rounds: Int
    private let length = 1_000_000

    func run() {
        runEqualEnds()
        runScattered()
    }

    private func runEqualEnds() {
        var random = Seeded(2)
        let string = SampleText.lines(bytes: length, &random)
        let old = mustSucceed { try TextBuffer(string) }
        let same = mustSucceed { try TextBuffer(string) }
        var other = old
        mustSucceed { try other.replace(0..<1, with: "Z") }
        var (block, copy) = (Array(string.utf8), Array(string.utf8))
        let times = best(
            of: rounds * 10,
            [
                { consume(diff(from: old, to: same)) }, { consume(diff(from: old, to: other)) },
                {
                    // The last byte changes, so that the compiler cannot reuse one comparison for all rounds.
                    block[block.count - 1] &+= 1
                    copy[copy.count - 1] &+= 1
                    consume(memcmp(block, copy, block.count))
                },
            ])
        var table = Table(["1 MB", "time", "GB/s"])
        for (name, time) in zip(
            ["equal from the start", "equal from the end", "memcmp of two blocks"], times)
        {
            table.row(name, time.time, (Double(length) / time).digits(1))
        }
        table.print(under: "Texts that are equal except at their beginning or end")
    }

    private func runScattered() {
        var table = Table(["1 MB", "time", "CollectionDifference of lines", "edits", "found / made"])
        for count in [1, 10, 1000] {
            let pair = scattered(count)
            let found = diff(from: pair.old, to: pair.new)
            let times = best(of: rounds, [{ consume(diff(from: pair.old, to: pair.new)) }])
            let lines = best(of: count > 10 ? 1 : 3) { consume(lineDifference(pair.old, pair.new)) }
            table.row(
                count == 1 ? "1 edit" : "\(count) scattered edits", times[0].time, lines.time,
                String(found.edits.count),
                (Double(size(found)) / Double(size(pair.made))).digits(3))
        }
        var random = Seeded(4)
        let old = mustSucceed { try TextBuffer(SampleText.lines(bytes: length, &random)) }
        let new = mustSucceed { try TextBuffer(SampleText.lines(bytes: length, &random)) }
        let found = diff(from: old, to: new)
        let time = best(of: rounds) { consume(diff(from: old, to: new)) }
        table.row(
            "unrelated texts", time.time, "not run: quadratic in the lines", String(found.edits.count), "")
        table.print(
            under:
                "Difference of two texts. Made: the code units of the real edits. Found: those of the computed edits"
        )
    }

    private func scattered(_ count: Int) -> (old: TextBuffer, new: TextBuffer, made: Change) {
        var random = Seeded(3)
        let old = mustSucceed { try TextBuffer(SampleText.lines(bytes: length, &random)) }
        let stride = length / count
        let edits = (0..<count).map { index in
            let start = index * stride + random.number(0...stride - 20)
            let end = random.chance(40) ? start : start + random.number(1...9)
            return SampleChange.edit(
                start, end, random.chance(20) && end > start ? "" : SampleText.word(&random))
        }
        let made = SampleChange.change(edits)
        return (old, mustSucceed { try old.applying(made) }, made)
    }

    private func size(_ change: Change) -> Int {
        change.edits.reduce(0) { $0 + $1.inserted.utf16 + ($1.range.upperBound - $1.range.lowerBound) }
    }

    private func lineDifference(_ old: TextBuffer, _ new: TextBuffer) -> Int {
        let oldLines = old.string.utf8.split(separator: UInt8(ascii: "\n")).map { Substring($0) }
        let newLines = new.string.utf8.split(separator: UInt8(ascii: "\n")).map { Substring($0) }
        return newLines.difference(from: oldLines).count
    }
}

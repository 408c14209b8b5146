import CaretCore
import CaretLog
import CaretStore
import TestSupport
import Testing

@Suite("The stored form of segments") struct SegmentFormatTests {
    private static let numbers = [SampleLog.ann: Int64(1), SampleLog.bob: Int64(300)]
    private static let pushers = [Int64(1): SampleLog.ann, Int64(300): SampleLog.bob]

    @Test("a plain or compressed segment decodes to the same changes", arguments: [0, 1] as [UInt8])
    func roundTrip(packing: UInt8) throws {
        let packing = try #require(SegmentFormat.Packing(rawValue: packing))
        for seed in 0..<UInt64(2000) {
            var random = Seeded(seed)
            let changes = try sampleChanges(&random)
            let bytes = encoded(changes, packing)
            #expect(try SegmentFormat.decoded(bytes, pushers: Self.pushers) == changes, "seed \(seed)")
        }
    }

    @Test("decoding changed or truncated bytes never crashes")
    func damagedBytes() throws {
        var refused = 0
        var readings = 0
        for seed in 0..<UInt64(3000) {
            var random = Seeded(seed)
            var bytes = encoded(try sampleChanges(&random), random.chance(50) ? .plain : .deflated)
            if random.chance(30) {
                bytes.removeLast(random.number(1...bytes.count))
            } else {
                for _ in 0..<random.number(1...3) {
                    bytes[random.number(0...bytes.count - 1)] ^= UInt8(1 << random.number(0...7))
                }
            }
            do {
                _ = try SegmentFormat.decoded(bytes, pushers: Self.pushers)
                readings += 1
            } catch {
                refused += 1
            }
        }
        // The decoder accepts some damaged bytes. The check of the chain finds those.
        #expect(refused > 1500 && readings > 0)
    }

    @Test("a later version, unknown pusher or extra byte has its own error")
    func namedFaults() throws {
        let change = try SampleLog.change(Change([SampleChange.edit(0, 0, "x")]), in: TextBuffer(), seq: 1)
        let bytes = encoded([change], .plain)
        #expect(throws: SegmentFault.unknownVersion(2)) {
            try SegmentFormat.decoded([2] + bytes.dropFirst(), pushers: Self.pushers)
        }
        #expect(throws: SegmentFault.unknownAuthor(1)) { try SegmentFormat.decoded(bytes, pushers: [:]) }
        #expect(throws: SegmentFault.trailingBytes) {
            try SegmentFormat.decoded(bytes + [0], pushers: Self.pushers)
        }
        #expect(throws: SegmentFault.truncated) { try SegmentFormat.decoded([], pushers: Self.pushers) }
        #expect(throws: SegmentFault.truncated) {
            try SegmentFormat.decoded(Array(bytes.dropLast()), pushers: Self.pushers)
        }
    }

    @Test("bytes after the last change are refused in every column")
    func trailingBytes() throws {
        let change = try SampleLog.change(Change([SampleChange.edit(0, 0, "x")]), in: TextBuffer(), seq: 1)
        let whole = columns(of: encoded([change], .plain))
        #expect(try decoded(whole) == [change] && whole.count == 9)
        for column in whole.indices {
            var longer = whole
            // In a column of runs, these bytes are another run.
            longer[column] += [0, 1]
            #expect(throws: SegmentFault.trailingBytes, "column \(column)") { try decoded(longer) }
        }
        // These columns have one run, whose length is the last byte.
        for column in [1, 2, 5] {
            var (longer, empty) = (whole, whole)
            longer[column][whole[column].count - 1] += 1
            empty[column][whole[column].count - 1] = 0
            #expect(throws: SegmentFault.trailingBytes, "column \(column)") { try decoded(longer) }
            #expect(throws: SegmentFault.numberOutOfRange, "column \(column)") { try decoded(empty) }
        }
    }

    @Test("a count larger than the bytes that follow allocates no memory")
    func lyingCounts() {
        let largest: [UInt8] = [0xFF, 0xFF, 0xFF, 0x7F]
        #expect(throws: SegmentFault.truncated) {
            try SegmentFormat.decoded([1, 0] + largest + [UInt8](repeating: 0, count: 9), pushers: [:])
        }
        #expect(throws: SegmentFault.numberOutOfRange) {
            try SegmentFormat.decoded([1, 1, 1] + largest + [1, 0], pushers: [:])
        }
    }

    @Test("the largest seqs and times decode; larger numbers are refused")
    func extremeNumbers() throws {
        let most = DocumentEntry.farthest
        let change = try SampleLog.change(
            Change([SampleChange.edit(0, 0, "x")]), in: TextBuffer(), seq: -most)
        let changes = [change.at(-most), change.at(most), change.at(-most)]
        #expect(try SegmentFormat.decoded(encoded(changes, .plain), pushers: Self.pushers) == changes)
        // Replace the time of a segment by a number larger than the format allows.
        let numbers: [UInt64] = [.max, .max - 1, 1 << 63, 1 << 57]
        let tooLarge = numbers.map { number in
            var column = ByteColumn()
            column.append(number)
            return column.bytes
        }
        // These numbers have more than 64 bits. The lower 64 bits are 0.
        let overlong = [9, 10].map { [UInt8](repeating: 0x80, count: $0) + [2] }
        for number in tooLarge + overlong {
            let time = [UInt8(number.count)] + number
            let bytes: [UInt8] = [1, 0, 1, 1, 0, 2, 2, 1, 2, 0, 1] + time + [0, 0, 0, 0, 0]
            #expect(throws: SegmentFault.numberOutOfRange) {
                try SegmentFormat.decoded(bytes, pushers: Self.pushers)
            }
        }
    }

    @Test("one keystroke takes at most 32 bytes, and 2 on average once merged")
    func sizes() throws {
        let change = try SampleLog.change(Change([SampleChange.edit(0, 0, "x")]), in: TextBuffer(), seq: 1)
        #expect(encoded([change], .plain).count <= 32)
        if let reason = TraceFolder.reasonForAbsence {
            print("SKIPPED size of a recorded history: \(reason)")
            return
        }
        let changes = try TypedHistory.changes(of: Trace(named: "automerge-paper"))
        let whole = encoded(changes, .deflated)
        #expect(try SegmentFormat.decoded(whole, pushers: Self.pushers) == changes)
        let timeless = encoded(changes.map { $0.at(0) }, .deflated)
        let perRevision = [whole, timeless].map { Double($0.count) / Double(changes.count) }
        print(
            "automerge-paper, \(changes.count) revisions: \(perRevision[0]) bytes each, \(perRevision[1]) without time"
        )
        #expect(perRevision[0] <= 2 && perRevision[1] <= 0.5)
    }

    /// The columns of a small plain segment. Before each column is its size, in one byte.
    private func columns(of bytes: [UInt8]) -> [[UInt8]] {
        var (rest, columns) = (bytes.dropFirst(3), [[UInt8]]())
        while let size = rest.popFirst() {
            columns.append(Array(rest.prefix(Int(size))))
            rest = rest.dropFirst(Int(size))
        }
        return columns
    }

    /// Decodes a plain segment of one change.
    private func decoded(_ columns: [[UInt8]]) throws -> [LoggedChange] {
        let body = columns.flatMap { [UInt8($0.count)] + $0 }
        return try SegmentFormat.decoded([1, 0, 1] + body, pushers: Self.pushers)
    }

    private func encoded(_ changes: [LoggedChange], _ packing: SegmentFormat.Packing) -> [UInt8] {
        SegmentFormat.encoded(
            changes, packing: packing, authors: changes.map { Self.numbers[$0.pusher] ?? 0 })
    }

    private func sampleChanges(_ random: inout Seeded) throws -> [LoggedChange] {
        var text = try TextBuffer(SampleText.make(upTo: 20, &random))
        var changes: [LoggedChange] = []
        for seq in 1...Int64(random.number(1...12)) {
            let change = SampleChange.make(for: text, upTo: 3, &random)
            let pusher = random.chance(30) ? SampleLog.bob : SampleLog.ann
            let logged = try SampleLog.change(
                change, in: text, by: pusher, seq: seq * Int64(random.number(1...3)))
            changes.append(logged.at(Int64(random.number(0...2_000_000_000))))
            try text.apply(change)
        }
        return changes
    }
}

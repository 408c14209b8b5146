import CaretCore
import CaretFormat
import CaretLog
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
        // The decoder accepts some damaged bytes. A store finds such damage with its chain values.
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
            // If the column stores runs, these two bytes are one more run.
            longer[column] += [0, 1]
            #expect(throws: SegmentFault.trailingBytes, "column \(column)") { try decoded(longer) }
        }
        // Each of these columns stores one run. The last byte of the column is the length of the run.
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
        let most = varint(UInt64(Int32.max))
        #expect(throws: SegmentFault.truncated) {
            try SegmentFormat.decoded([1, 0] + most + [UInt8](repeating: 0, count: 9), pushers: [:])
        }
        let largest: [UInt8] = [0xFF, 0xFF, 0xFF, 0x7F]
        #expect(throws: SegmentFault.numberOutOfRange) {
            try SegmentFormat.decoded([1, 1, 1] + largest + [1, 0], pushers: [:])
        }
    }

    @Test("counts up to their limits are accepted, and larger ones are refused")
    func limits() throws {
        let (most, largest) = (UInt64(Int32.max), UInt64(256 << 20))
        // The number of changes, and the sizes of a column before and after compression.
        expectLimit(most, .truncated) { [1, 0] + $0 + [UInt8](repeating: 0, count: 9) }
        expectLimit(largest, .truncated) { [1, 0, 1] + $0 }
        expectLimit(largest, .truncated) { [1, 1, 1, 0] + $0 }
        // The number of edits, the length of a run, and the lengths of removed and inserted text.
        expectLimit(most, .truncated) { segment(shapes: [3] + $0) }
        expectLimit(most, .trailingBytes) { segment(authors: [2] + $0) }
        expectLimit(most, .trailingBytes) { segment(shapes: [1], units: [0, 4], removed: $0) }
        expectLimit(most, .truncated) { segment(lengths: $0) }
    }

    /// Expects that a count is refused above the limit. At the limit, decoding fails later, with `fault`.
    private func expectLimit(_ limit: UInt64, _ fault: SegmentFault, _ segment: ([UInt8]) -> [UInt8]) {
        for (count, fault) in [(limit, fault), (limit + 1, .numberOutOfRange), (1 << 63, .numberOutOfRange)] {
            let bytes = segment(varint(count))
            #expect(throws: fault, "\(count)") {
                try SegmentFormat.decoded(bytes, pushers: Self.pushers)
            }
        }
    }

    @Test("a start with impossible lengths is refused")
    func impossibleLengths() throws {
        let most = Int64(Int32.max)
        for (units, bytes, surrogates, isPossible) in [
            (0, 0, 0, true), (most, 0, 0, true), (most + 1, 0, 0, false), (-1, 0, 0, false),
            (1, 2, 0, true), (1, 3, 0, false), (1, -1, 0, false), (1, 2, 1, true), (1, 2, 2, false),
            (1, 2, -1, false),
        ] as [(Int64, Int64, Int64, Bool)] {
            let runs = zigzag(bytes) + [1] + zigzag(surrogates) + [1]
            let body = segment(starts: zigzag(units), units: runs)
            let start = try? SegmentFormat.decoded(body, pushers: Self.pushers)[0].edits[0].start
            #expect(start.map { Int64($0.utf16) } == (isPossible ? units : nil), "\(units), \(runs)")
        }
    }

    @Test("a pusher is looked up only where the author changes")
    func lookups() throws {
        let change = try SampleLog.change(Change([SampleChange.edit(0, 0, "x")]), in: TextBuffer(), seq: 1)
        let bytes = SegmentFormat.encoded(
            Array(repeating: change, count: 6), packing: .plain, authors: [1, 1, 300, 300, 300, 1])
        var asked: [Int64] = []
        _ = try SegmentFormat.decoded(bytes) { number throws(SegmentFault) in
            asked.append(number)
            return SampleLog.ann
        }
        #expect(asked == [1, 300, 1])
    }

    @Test("a compressed column has the smallest window that holds it")
    func windows() throws {
        for (count, window) in [
            (1, 9), (512, 9), (513, 10), (1024, 10), (1025, 11), (16_384, 14), (16_385, 15), (100_000, 15),
        ] {
            let text = String(repeating: "x", count: count)
            let change = try SampleLog.change(
                Change([SampleChange.edit(0, 0, text)]), in: TextBuffer(), seq: 1)
            // The text is the last column. zlib begins each column with the size of its window.
            let bytes = encoded([change], .deflated)
            var (rest, header) = (bytes.dropFirst(3), UInt8(0))
            while !rest.isEmpty {
                _ = number(&rest)
                let size = number(&rest)
                header = try #require(rest.first)
                rest = rest.dropFirst(size)
            }
            #expect(header == UInt8((window - 8) << 4 | 8), "\(count) bytes")
            #expect(try SegmentFormat.decoded(bytes, pushers: Self.pushers) == [change])
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
        let tooLarge = numbers.map { varint($0) }
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

    private func varint(_ number: UInt64) -> [UInt8] {
        var column = ByteColumn()
        column.append(number)
        return column.bytes
    }

    /// Reads a varint from the beginning of `bytes`.
    private func number(_ bytes: inout ArraySlice<UInt8>) -> Int {
        var (number, shift) = (0, 0)
        while let byte = bytes.popFirst() {
            number |= Int(byte & 0x7F) << shift
            if byte < 0x80 { break }
            shift += 7
        }
        return number
    }

    private func zigzag(_ number: Int64) -> [UInt8] {
        varint(UInt64(bitPattern: number << 1 ^ number >> 63))
    }

    /// A plain segment with one change by Ann, which inserts "x" at the beginning. Some columns can be
    /// replaced.
    private func segment(
        shapes: [UInt8] = [0], authors: [UInt8] = [2, 1], starts: [UInt8] = [0], units: [UInt8] = [0, 2],
        removed: [UInt8] = [], lengths: [UInt8] = [1]
    ) -> [UInt8] {
        let columns = [
            shapes, authors, [0, 1], [0], starts, units, removed, lengths, [UInt8(ascii: "x")],
        ]
        return [1, 0, 1] + columns.flatMap { [UInt8($0.count)] + $0 }
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

import CaretCore
import TestSupport
import Testing

/// How a text is divided into chunks and groups. This decides how fast edits are, but never what the text is.
@Suite("The chunks of a text in memory") struct ChunkTests {
    /// The size of the chunks of a new text whose length is a multiple of this size.
    private let size = Chunk.limit / 2

    private func letters(_ range: Range<Int>) -> [UInt8] {
        range.map { UInt8(ascii: "a") + UInt8($0 % 23) }
    }

    private func text(bytes count: Int) throws -> TextBuffer {
        try TextBuffer(String(decoding: letters(0..<count), as: UTF8.self))
    }

    private func sizes(_ text: TextBuffer) -> [Int] { text.groups.flatMap { $0.chunks.map(\.utf8Count) } }

    /// Replaces `range` by `inserted` letters, and checks the text and the sizes of its chunks.
    private func expect(
        _ range: Range<Int>, _ inserted: Int, in start: TextBuffer, gives expected: [Int],
        at location: SourceLocation = #_sourceLocation
    ) throws {
        var text = start
        var model = Array(start.string.utf8)
        try text.replace(
            Offset(range.lowerBound)..<Offset(range.upperBound), with: String(repeating: "Z", count: inserted)
        )
        model.replaceSubrange(range, with: repeatElement(UInt8(ascii: "Z"), count: inserted))
        #expect(Array(text.string.utf8) == model, "\(range), \(inserted) letters", sourceLocation: location)
        #expect(sizes(text) == expected, "\(range), \(inserted) letters", sourceLocation: location)
    }

    @Test("an edit splits or joins chunks only if one is too large or too small")
    func chunkSizes() throws {
        let (text, all) = (try text(bytes: 4 * size), 4 * size)
        let rows: [(range: Range<Int>, inserted: Int, expected: [Int])] = [
            (0..<0, 1, [size + 1, size, size, size]),
            (size..<size, 1, [size + 1, size, size, size]),
            (size + 1..<size + 1, 1, [size, size + 1, size, size]),
            (all..<all, 1, [size, size, size, size + 1]),
            (size..<size + 1, 0, [size, size - 1, size, size]),
            (size - 1..<size, 0, [size - 1, size, size, size]),
            (size - 1..<size + 1, 0, [2 * size - 2, size, size]),
            // A chunk of 256 bytes stays, and one of 255 bytes is joined with a neighbour.
            (size..<2 * size - 256, 0, [size, 256, size, size]),
            (size..<2 * size - 255, 0, [size, size + 255, size]),
            (3 * size..<all - 255, 0, [size, size, size + 255]),
            (size..<2 * size, 0, [size, size, size]),
            (0..<all, 0, []),
            (100..<100, size, [2 * size, size, size, size]),
            (100..<100, size + 1, [size + 1, size, size, size, size]),
            (size..<size, 10 * size, Array(repeating: size, count: 14)),
        ]
        for row in rows { try expect(row.range, row.inserted, in: text, gives: row.expected) }
    }

    @Test("text inserted between two chunks is added to the first of them")
    func boundaries() throws {
        for count in 1...9 {
            let text = try text(bytes: count * size)
            for boundary in 0...count {
                var expected = Array(repeating: size, count: count)
                expected[max(boundary - 1, 0)] += 1
                try expect(boundary * size..<boundary * size, 1, in: text, gives: expected)
                if boundary == count { continue }
                expected = Array(repeating: size, count: count)
                expected[boundary] -= 1
                try expect(boundary * size..<boundary * size + 1, 0, in: text, gives: expected)
            }
        }
    }

    @Test("an edit at either end of the chunk edited last is made in that chunk")
    func lastEdited() throws {
        var text = try text(bytes: 4 * size)
        for offset in [size + 100, size, 2 * size + 2] {
            try text.replace(Offset(offset)..<Offset(offset), with: "x")
        }
        #expect(sizes(text) == [size, size + 3, size, size])
    }

    @Test("groups of chunks are split if too large and joined if too small")
    func groups() throws {
        let split: [(chunks: Int, expected: [Int])] = [
            (128, [128]), (129, [65, 64]), (192, [96, 96]), (193, [65, 64, 64]),
        ]
        for (chunks, expected) in split {
            #expect(try text(bytes: chunks * size).groups.map(\.chunks.count) == expected)
        }
        // A first group of 24 chunks stays, and one of 23 chunks is joined with the next group.
        for (removed, expected) in [(41, [24, 64]), (42, [87])] {
            var text = try text(bytes: 129 * size)
            try text.replace(0..<Offset(removed * size), with: "")
            #expect(text.groups.map(\.chunks.count) == expected)
            #expect(Array(text.string.utf8) == letters(removed * size..<129 * size))
        }
    }

    @Test(
        "typing reallocates a chunk only when its spare space is used up",
        arguments: [40, 1_000, 2_800])
    func storage(bytes: Int) throws {
        var text = try text(bytes: bytes)
        var moves: [Int] = []
        // New storage has space for a sixteenth of the text and for 16 bytes more.
        let space = (bytes + 1) / 16 + 16
        for letter in 0...space + 1 {
            let before = address(of: text)
            let offset = Offset(bytes / 2 + letter)
            try text.replace(offset..<offset, with: "x")
            if address(of: text) != before { moves.append(letter) }
        }
        #expect(moves == [0, space + 1])
    }

    /// The address of the first byte of the text. If the gap is not there, this is the start of the storage.
    private func address(of text: TextBuffer) -> UnsafePointer<UInt8>? {
        var address: UnsafePointer<UInt8>?
        text.forEachPiece { address = address ?? $0.baseAddress }
        return address
    }

    /// A text of 480 KB, which has several groups. Each of its lines has 8 bytes, 5 code units and 4 scalars.
    private func longText() throws -> TextBuffer {
        let text = try TextBuffer(String(repeating: "aé😀\n", count: 60_000))
        try #require(text.groups.count > 2)
        return text
    }

    @Test("offset conversions and slices are correct in every group of chunks")
    func conversions() throws {
        let text = try longText()
        for line in Array(stride(from: 0, to: 60_000, by: 997)) + [59_999, 60_000] {
            let (bytes, units) = (UTF8Offset(8 * line), Offset(5 * line))
            let scalars = ScalarOffset(4 * line)
            #expect(try text.convert(bytes, to: UTF16Unit.self) == units)
            #expect(try text.convert(units, to: ScalarUnit.self) == scalars)
            #expect(try text.convert(scalars, to: UTF8Unit.self) == bytes)
            if line < 60_000 { #expect(try text.slice(units..<units + 5) == "aé😀\n") }
        }
        var end = TextLength.zero
        for group in text.groups {
            end += group.length
            #expect(try text.length(before: Offset(end.utf16)) == end)
            #expect(try text.length(before: UTF8Offset(end.utf8)) == end)
        }
        #expect(end == text.length)
    }

    @Test("comparing two long texts finds one changed letter in any chunk group")
    func comparisons() throws {
        let text = try longText()
        for line in [0, 1, 20_000, 30_000, 45_000, 59_998, 59_999] {
            let place = Offset(5 * line)
            var other = text
            try other.replace(place..<place + 1, with: "x")
            #expect(other != text)
            let change = SampleChange.change([SampleChange.edit(place.value, place.value + 1, "x")])
            #expect(diff(from: text, to: other) == change)
            try other.replace(place..<place + 1, with: "a")
            #expect(other == text)
        }
    }

    @Test("the common suffix of two texts is found, whatever their chunks are")
    func commonSuffix() {
        checkLaw("commonSuffix", cases: Seeds.share(of: 2_000, everyCommit: 400)) { random in
            let end = SampleText.lines(bytes: random.number(0...20_000), &random)
            var one = try TextBuffer(String(repeating: "x", count: random.number(1...5_000)) + end)
            var other = try TextBuffer(String(repeating: "y", count: random.number(1...5_000)) + end)
            // An empty edit moves the gap of a chunk.
            let place = Offset(random.number(0...one.end.value))
            try one.replace(place..<place, with: "")
            let otherPlace = Offset(random.number(0...other.end.value))
            try other.replace(otherPlace..<otherPlace, with: "")
            let limit = random.number(0...30_000)
            let found = one.commonSuffixLength(with: other, limit: limit)
            let expected = min(limit, end.utf8.count)
            return found == expected ? nil : "\(found) bytes, expected \(expected)"
        }
        #expect(TextBuffer().commonSuffixLength(with: TextBuffer(), limit: 9) == 0)
    }
}

import CaretCore
import TestSupport
import Testing

@Suite("Text in memory: edits, offsets and validation") struct TextBufferTests {
    @Test("random replacements give the same text as in a plain string")
    func replaceLikeAString() {
        checkLaw("replaceLikeAString", cases: Seeds.share(of: 2_000, everyCommit: 400)) { random in
            var model = Array(SampleText.make(upTo: 4000, &random).utf16)
            var text = try TextBuffer(String(decoding: model, as: UTF16.self))
            for _ in 0..<60 {
                let snapshot = text
                let before = model
                try replaceAtRandom(&text, &model, &random)
                if let wrong = brokenInvariant(text) { return wrong }
                if Array(snapshot.string.utf16) != before { return "a snapshot has changed" }
            }
            return Array(text.string.utf16) == model ? nil : "the text differs from the plain string"
        }
    }

    @Test("typing and erasing at a caret gives the same text as in a plain string")
    func typeLikeInAString() {
        checkLaw("typeLikeInAString", cases: Seeds.share(of: 2_000, everyCommit: 200)) { random in
            let lines = SampleText.lines(bytes: random.number(0...5_000), &random)
            var model = Array((random.chance(50) ? lines : SampleText.make(upTo: 4_000, &random)).utf16)
            var text = try TextBuffer(String(decoding: model, as: UTF16.self))
            for _ in 0..<10 {
                let start = random.number(0...model.count)
                var caret = text.isScalarBoundary(Offset(start)) ? start : start - 1
                let (snapshot, before) = (text, model)
                for _ in 0..<random.number(1...60) {
                    let erased = random.chance(30) && caret > 0 ? caret - 1 : caret
                    let range = text.isScalarBoundary(Offset(erased)) ? erased..<caret : caret - 2..<caret
                    let letter = random.chance(80) ? "x" : random.chance(90) ? "" : "é"
                    try text.replace(Offset(range.lowerBound)..<Offset(range.upperBound), with: letter)
                    model.replaceSubrange(range, with: letter.utf16)
                    caret = range.lowerBound + letter.utf16.count
                }
                if let wrong = brokenReading(text, model, at: caret) { return wrong }
                if Array(snapshot.string.utf16) != before { return "a snapshot has changed" }
                if let wrong = brokenInvariant(text) { return wrong }
            }
            return Array(text.string.utf16) == model ? nil : "the text differs from the plain string"
        }
    }

    @Test("the stored lengths of a long text stay correct after many edits")
    func longText() throws {
        var random = Seeded(7)
        var model = Array(SampleText.lines(bytes: 1_000_000, &random).utf16)
        var text = try TextBuffer(String(decoding: model, as: UTF16.self))
        #expect(text.groups.count > 5)
        for step in 0..<4000 {
            try replaceAtRandom(&text, &model, &random)
            if step % 500 == 0 { #expect(Array(text.string.utf16) == model) }
        }
        #expect(brokenInvariant(text) == nil)
        #expect(Array(text.string.utf16) == model)
        try text.replace(0..<text.end, with: "")
        #expect(text == TextBuffer() && text.groups.isEmpty)
    }

    @Test("converted offsets agree with offsets counted scalar by scalar")
    func conversions() {
        checkLaw("conversions", cases: Seeds.share(of: 5_000, everyCommit: 1_000)) { random in
            let string = SampleText.make(upTo: 3000, &random)
            let text = try TextBuffer(string)
            var at = TextLength.zero
            for scalar in string.unicodeScalars {
                if random.chance(3), let wrong = try brokenConversion(text, at) { return wrong }
                if scalar.value > 0xFFFF, text.isScalarBoundary(Offset(at.utf16 + 1)) {
                    return "an offset inside a scalar counts as a scalar boundary"
                }
                at += TextLength(
                    utf8: String(scalar).utf8.count, utf16: scalar.value > 0xFFFF ? 2 : 1, scalars: 1)
            }
            return try brokenConversion(text, at)
        }
    }

    @Test("a part of a text has all whole scalars between its offsets, up to its limit of bytes")
    func parts() {
        checkLaw("parts", cases: Seeds.share(of: 2_000, everyCommit: 400)) { random in
            let scalars = Array(SampleText.make(upTo: 2_000, &random).unicodeScalars)
            let text = try TextBuffer(String(String.UnicodeScalarView(scalars)))
            for unit in [CodeUnit.utf8, .utf16, .scalar] {
                let start = random.number(-2...text.length.count(of: unit) + 2)
                let end = random.chance(10) ? Int.max : random.number(-2...text.length.count(of: unit) + 2)
                let most = random.chance(50) ? random.number(0...40) : 10_000
                let part = text.part(from: start, to: end, in: unit, atMost: most)
                var (offset, first, wanted) = (0, 0, "")
                for scalar in scalars {
                    let next = offset + (try TextBuffer(String(scalar))).length.count(of: unit)
                    if next <= start { first = next }
                    if offset >= first, next <= max(start, end) { wanted.unicodeScalars.append(scalar) }
                    offset = next
                }
                while wanted.utf8.count > most { wanted.unicodeScalars.removeLast() }
                if part.start != first {
                    return "\(start)..<\(end) in \(unit): begins at \(part.start), not \(first)"
                }
                if part.text != wanted { return "\(start)..<\(end) in \(unit), \(most) bytes: \(part.text)" }
            }
            return nil
        }
    }

    @Test("an offset inside a scalar or outside the text is refused in every unit")
    func refusedOffsets() throws {
        let text = try TextBuffer("a😀b")
        #expect(throws: TextError.insideScalar(offset: 2)) { try text.convert(Offset(2), to: UTF8Unit.self) }
        #expect(throws: TextError.insideScalar(offset: 4)) {
            try text.convert(UTF8Offset(4), to: UTF16Unit.self)
        }
        #expect(throws: TextError.outside(offset: 4, end: 3)) {
            try text.convert(ScalarOffset(4), to: UTF16Unit.self)
        }
        #expect(throws: TextError.outside(offset: -1, end: 4)) {
            try text.convert(Offset(-1), to: UTF8Unit.self)
        }
        #expect(!text.isScalarBoundary(UTF8Offset(7)) && text.isScalarBoundary(UTF8Offset(6)))
        #expect(throws: TextError.outside(offset: 5, end: 4)) { try text.slice(0..<5) }
        // The emoji comes after several chunks. Each range starts or ends inside the emoji, and covers parts
        // of one chunk or of several chunks.
        var long = try TextBuffer(
            String(repeating: "x", count: 10_000) + "😀" + String(repeating: "y", count: 10_000))
        for range in [10_001..<10_001, 10_001..<10_005, 9_000..<10_001, 10_001..<20_000, 100..<10_001] {
            #expect(throws: TextError.insideScalar(offset: 10_001), "\(range)") {
                try long.replace(Offset(range.lowerBound)..<Offset(range.upperBound), with: "z")
            }
        }
    }

    @Test(
        "invalid UTF-8 is refused with its offset, never repaired",
        arguments: [
            ([0x61, 0xFF], 1), ([0xC3], 0), ([0x61, 0xC0, 0x80], 1), ([0xED, 0xA0, 0x80], 0),
            ([0xF4, 0x90, 0x80, 0x80], 0), ([0x80], 0), ([0x61, 0x62, 0xE2, 0x82], 2),
            ([0xE0, 0x80, 0x80], 0),
        ] as [([UInt8], Int)])
    func invalidBytes(bytes: [UInt8], position: Int) {
        #expect(throws: TextError.invalidUTF8(at: position)) {
            try bytes.withUnsafeBufferPointer { bytes throws(TextError) in try TextBuffer(validating: bytes) }
        }
    }

    @Test("a carriage return is refused, alone and before a line feed")
    func carriageReturns() {
        #expect(throws: TextError.carriageReturn(at: 1)) { try TextBuffer("a\r\nb") }
        #expect(throws: TextError.carriageReturn(at: 2)) {
            try Array("é\r".utf8).withUnsafeBufferPointer { bytes throws(TextError) in
                try TextBuffer(validating: bytes)
            }
        }
    }

    @Test("a carriage return is found at every index of a text")
    func carriageReturnAnywhere() {
        for length in 1...40 {
            for index in 0..<length {
                // The other bytes differ from a carriage return in one bit.
                var bytes = (0..<length).map { UInt8(ascii: "\r") ^ (1 << UInt8($0 % 7)) }
                bytes.withUnsafeBufferPointer { #expect((try? TextBuffer(validating: $0)) != nil) }
                bytes[index] = UInt8(ascii: "\r")
                #expect(throws: TextError.carriageReturn(at: index)) {
                    try bytes.withUnsafeBufferPointer { bytes throws(TextError) in
                        try TextBuffer(validating: bytes)
                    }
                }
            }
        }
    }

    @Test("texts with equal bytes are equal, however they are split into chunks")
    func equality() throws {
        var random = Seeded(3)
        let string = SampleText.make(upTo: 9000, &random)
        let whole = try TextBuffer(string)
        var pieced = TextBuffer()
        for scalar in string.unicodeScalars {
            try pieced.replace(pieced.end..<pieced.end, with: String(scalar))
        }
        #expect(whole == pieced)
        try pieced.replace(0..<0, with: "e\u{301}")
        let decomposed = pieced
        try pieced.replace(0..<2, with: "é")
        #expect(pieced != decomposed)
        #expect(try TextBuffer("é") != TextBuffer("e\u{301}"))
    }

    @Test("joining the chunks of a text gives its string")
    func pieces() throws {
        var random = Seeded(4)
        let text = try TextBuffer(SampleText.make(upTo: 20_000, &random))
        var bytes: [UInt8] = []
        text.forEachPiece { bytes.append(contentsOf: $0) }
        #expect(bytes == Array(text.string.utf8) && bytes.count == text.length.utf8)
    }

    private func replaceAtRandom(_ text: inout TextBuffer, _ model: inout [UInt16], _ random: inout Seeded)
        throws
    {
        func boundary() -> Int {
            let place = random.number(0...model.count)
            return place < model.count && UTF16.isTrailSurrogate(model[place]) ? place - 1 : place
        }
        let places = [boundary(), boundary()].sorted()
        let end =
            switch random.number(0...9) {
            case 0: places[1]
            case 1...5: places[0]
            default:
                max(
                    places[0],
                    min(places[1], text.isScalarBoundary(Offset(places[0] + 9)) ? places[0] + 9 : 0))
            }
        let size = random.chance(5) ? 6000 : 5
        let inserted = random.chance(20) ? "" : SampleText.make(upTo: size, &random)
        try text.replace(Offset(places[0])..<Offset(end), with: inserted)
        model.replaceSubrange(places[0]..<end, with: Array(inserted.utf16))
    }

    /// Compares the length before an offset, and the text around it.
    private func brokenReading(_ text: TextBuffer, _ model: [UInt16], at caret: Int) -> String? {
        let string = String(decoding: model[..<caret], as: UTF16.self)
        let before = TextLength(
            utf8: string.utf8.count, utf16: caret, scalars: string.unicodeScalars.count)
        if (try? text.length(before: Offset(caret))) != before { return "wrong length before \(caret)" }
        if (try? text.length(before: UTF8Offset(before.utf8))) != before { return "wrong length in UTF-8" }
        return text.length.utf16 == model.count ? nil : "the length is wrong"
    }

    private func brokenInvariant(_ text: TextBuffer) -> String? {
        var sum = TextLength.zero
        for group in text.groups {
            let counted = group.chunks.reduce(into: TextLength.zero) { $0 += $1.length }
            if counted != group.length { return "a group's length is \(group.length), counted \(counted)" }
            if group.chunks.isEmpty || group.chunks.count > ChunkGroup.limit {
                return "a group is too large or empty"
            }
            for chunk in group.chunks {
                var counted = TextLength.zero
                chunk.forEachPiece { counted += $0.textLength }
                if counted != chunk.length { return "a chunk has a wrong length" }
                if chunk.utf8Count == 0 || chunk.utf8Count > Chunk.limit {
                    return "a chunk is too large or empty"
                }
            }
            sum += counted
        }
        return sum == text.length ? nil : "the length is wrong: \(text.length), counted \(sum)"
    }

    private func brokenConversion(_ text: TextBuffer, _ at: TextLength) throws -> String? {
        let (utf8, utf16, scalar) = (UTF8Offset(at.utf8), Offset(at.utf16), ScalarOffset(at.scalars))
        let isRight =
            try text.convert(utf8, to: UTF16Unit.self) == utf16
            && text.convert(utf16, to: ScalarUnit.self) == scalar
            && text.convert(scalar, to: UTF8Unit.self) == utf8
            && text.convert(utf16, to: UTF8Unit.self) == utf8
        return isRight ? nil : "\(at) is converted wrongly"
    }
}

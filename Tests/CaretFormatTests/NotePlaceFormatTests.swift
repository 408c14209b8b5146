import CaretCore
import CaretFormat
import CaretLog
import TestSupport
import Testing

@Suite("The stored form of a note's place") struct NotePlaceFormatTests {
    private func sample(_ random: inout Seeded) -> NotePlace {
        let text = TextBuffer(normalizing: SampleText.make(upTo: 30, &random))
        let ends = [random.number(0...text.end.value), random.number(0...text.end.value)].sorted()
        let words = Selection(anchor: Offset(ends[0]), head: Offset(ends[1]))
        return NotePlace(
            at: 9, words, suggesting: random.chance(30) ? nil : SampleChange.make(for: text, upTo: 3, &random)
        )
    }

    @Test("a place is read as it was written")
    func roundTrip() {
        var random = Seeded(5)
        for _ in 0..<500 {
            let place = sample(&random)
            #expect(NotePlaceFormat.decoded(NotePlaceFormat.encoded(place), at: 9) == place)
        }
    }

    @Test("bytes that no server writes are no place, or another one")
    func damage() {
        #expect(NotePlaceFormat.decoded([], at: 9) == nil)
        #expect(NotePlaceFormat.decoded([0xFF], at: 9) == nil)
        // A range that ends beyond every text, and a suggestion with bytes after it.
        let farthest: [UInt8] = [0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x7F]
        #expect(NotePlaceFormat.decoded(farthest + farthest, at: 9) == nil)
        #expect(NotePlaceFormat.decoded([0, 1, 0, 7], at: 9) == nil)
        // Text that is not UTF-8, and edits that overlap.
        #expect(NotePlaceFormat.decoded([0, 1, 1, 0, 1, 1, 0xFF], at: 9) == nil)
        #expect(NotePlaceFormat.decoded([0, 1, 2, 3, 4, 0, 0, 1, 0], at: 9) == nil)
        var random = Seeded(6)
        for _ in 0..<2_000 {
            var bytes = NotePlaceFormat.encoded(sample(&random))
            bytes[random.number(0...bytes.count - 1)] = UInt8(random.number(0...255))
            if let place = NotePlaceFormat.decoded(bytes, at: 9) {
                #expect(place.words.start <= place.words.end)
            }
            _ = NotePlaceFormat.decoded(Array(bytes.dropLast(random.number(1...bytes.count))), at: 9)
        }
    }
}

import CaretCore
import TestSupport
import Testing

@Suite("Validation of UTF-8 on every version of a system") struct UTF8ValidationTests {
    /// What both validations find in the same bytes.
    private func found(in bytes: [UInt8]) -> (system: Int?, own: Int?) {
        bytes.withUnsafeBufferPointer { ($0.firstInvalidUTF8, $0.firstInvalidUTF8ByRanges) }
    }

    @Test("the own validation finds the same byte as UTF8Span, in every sequence of two bytes")
    func pairs() {
        for first in UInt8.min...UInt8.max {
            for second in UInt8.min...UInt8.max {
                let found = found(in: [first, second])
                #expect(found.system == found.own, "\(first) \(second)")
            }
        }
    }

    @Test("the own validation finds the same byte as UTF8Span, in longer sequences")
    func longer() {
        // The bytes at both ends of every range in the table of the Unicode standard.
        let edges: [UInt8] = [
            0x00, 0x7F, 0x80, 0x8F, 0x90, 0x9F, 0xA0, 0xBF, 0xC0, 0xC1, 0xC2, 0xDF, 0xE0, 0xE1, 0xEC, 0xED,
            0xEE, 0xEF, 0xF0, 0xF1, 0xF3, 0xF4, 0xF5, 0xFF,
        ]
        var random = Seeded(40)
        var (valid, invalid) = (0, 0)
        for _ in 0..<20_000 {
            let before = [UInt8](repeating: 0x61, count: Int.random(in: 0...9, using: &random))
            let odd = (0..<4).map { _ in random.pick(edges) }
            let found = found(in: before + odd + before)
            #expect(found.system == found.own, "\(before.count) \(odd)")
            if found.own == nil { valid += 1 } else { invalid += 1 }
        }
        #expect(valid > 20 && invalid > 20)
    }

    @Test("the own validation accepts every scalar")
    func scalars() {
        for value in UInt32(0)...0x10FFFF {
            guard let scalar = Unicode.Scalar(value) else { continue }
            let bytes = Array(String(scalar).utf8)
            if found(in: bytes).own != nil { Issue.record("\(value)") }
            #expect(bytes.withUnsafeBufferPointer { $0.string.unicodeScalars.first } == scalar)
        }
    }
}

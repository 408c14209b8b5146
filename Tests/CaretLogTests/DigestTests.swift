import CaretLog
import Testing

@Suite("Digests") struct DigestTests {
    /// Async functions that kept such values overwrote memory when they contained a vector of 32 bytes, which is aligned to
    /// 16 bytes.
    @Test("calls to a store, their answers and pushed changes contain no vectors")
    func alignment() {
        #expect(MemoryLayout<StoreCall>.alignment == 8)
        #expect(MemoryLayout<StoreAnswer>.alignment == 8)
        #expect(MemoryLayout<PushedChange>.alignment == 8)
        #expect(MemoryLayout<Digest>.size == 32)
    }

    @Test("a digest has the words that it was made from")
    func words() {
        let words = SIMD4<UInt64>(1, 2, 3, .max)
        #expect(Digest(words).words == words && Digest(words) == Digest(words))
        for index in 0..<4 {
            var other = words
            other[index] ^= 1
            #expect(Digest(other) != Digest(words))
        }
    }
}

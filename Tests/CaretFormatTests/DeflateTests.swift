import CaretFormat
import TestSupport
import Testing

@Suite("Bytes compressed with zlib") struct DeflateTests {
    @Test("bytes of any count survive compression with gzip", arguments: [0, 1, 2, 511, 512, 513, 70_000])
    func gzip(count: Int) throws {
        let varied = (0..<count).map { UInt8(truncatingIfNeeded: ($0 &* $0) >> 3) }
        for bytes in [Array(repeating: 7, count: count), varied] {
            let compressed = Deflate.packed(bytes, as: .gzip)
            #expect(try Gzip.decompressed(compressed) == bytes)
            #expect(Deflate.packed(bytes, as: .gzip) == compressed)
        }
    }
}

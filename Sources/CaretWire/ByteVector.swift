#if !hasFeature(Embedded)
    /// Sixteen bytes that are examined with vector instructions, for long strings and lines.
    // The browser build scans with `ByteBlock` only: without vector instructions, this code would be large.
    // Each vector below names its element type, because the compiler would otherwise choose the generic
    // operators, which handle one byte after another.
    struct ByteVector {
        static let width = 16

        private let bytes: SIMD16<UInt8>

        /// Loads sixteen bytes from `index` on. `bytes` must have at least sixteen bytes from there on.
        @inline(__always)
        init(_ bytes: UnsafeBufferPointer<UInt8>, at index: Int) {
            let raw = UnsafeRawBufferPointer(bytes)
            self.bytes = raw.loadUnaligned(fromByteOffset: index, as: SIMD16<UInt8>.self)
        }

        /// Writes the bytes from `index` on. `buffer` must have space for sixteen bytes there.
        @inline(__always)
        func store(in buffer: UnsafeMutableBufferPointer<UInt8>, at index: Int) {
            UnsafeMutableRawBufferPointer(buffer).storeBytes(
                of: bytes, toByteOffset: index, as: SIMD16<UInt8>.self)
        }

        /// How many bytes come before the first byte that equals `byte`; `width` if no byte equals it.
        @inline(__always)
        func count(before byte: UInt8) -> Int {
            ByteVector.countBeforeMark(bytes .== SIMD16<UInt8>(repeating: byte))
        }

        /// How many bytes come before the first quote, backslash or control character; `width` if there is
        /// none.
        @inline(__always)
        var runLength: Int {
            let quotes = bytes .== SIMD16<UInt8>(repeating: UInt8(ascii: "\""))
            let backslashes = bytes .== SIMD16<UInt8>(repeating: UInt8(ascii: "\\"))
            let controls = bytes .< SIMD16<UInt8>(repeating: 0x20)
            return ByteVector.countBeforeMark(quotes .| backslashes .| controls)
        }

        /// How many elements come before the first one that is true.
        @inline(__always)
        private static func countBeforeMark(_ marks: SIMDMask<SIMD16<Int8>>) -> Int {
            // An element that is true has eight set bits, and any other element has none.
            let words = unsafeBitCast(marks, to: SIMD2<UInt64>.self)
            if words[0] != 0 { return words[0].littleEndian.trailingZeroBitCount / 8 }
            if words[1] != 0 { return 8 &+ words[1].littleEndian.trailingZeroBitCount / 8 }
            return width
        }
    }
#endif

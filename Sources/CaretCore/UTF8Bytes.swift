/// Bytes that are known to be valid UTF-8. They can be used only while a closure runs.
package typealias UTF8Bytes = UnsafeBufferPointer<UInt8>

let carriageReturn: UInt8 = 0x0D
let lineFeed: UInt8 = 0x0A

/// The number of bytes of a scalar whose encoding begins with `lead`.
func utf8Width(ofScalarWithLead lead: UInt8) -> Int {
    if lead < 0x80 { return 1 }
    if lead < 0xE0 { return 2 }
    return lead < 0xF0 ? 3 : 4
}

extension UnsafeBufferPointer<UInt8> {
    /// Whether the byte at `index` begins a scalar, or `index` is the end.
    func isScalarBoundary(_ index: Int) -> Bool {
        index == count || self[index] & 0xC0 != 0x80
    }

    /// The scalar boundary at or before `index`.
    func scalarBoundary(atOrBefore index: Int) -> Int {
        var index = index
        while !isScalarBoundary(index) { index -= 1 }
        return index
    }

    /// The scalar boundary at or after `index`.
    func scalarBoundary(atOrAfter index: Int) -> Int {
        var index = index
        while !isScalarBoundary(index) { index += 1 }
        return index
    }

    /// The scalar whose encoding begins at `index`.
    func scalar(at index: Int) -> Unicode.Scalar {
        let lead = UInt32(self[index])
        let value: UInt32
        switch utf8Width(ofScalarWithLead: self[index]) {
        case 1: value = lead
        case 2: value = (lead & 0x1F) << 6 | trailing(index + 1)
        case 3: value = (lead & 0x0F) << 12 | trailing(index + 1) << 6 | trailing(index + 2)
        default:
            value =
                (lead & 0x07) << 18 | trailing(index + 1) << 12 | trailing(index + 2) << 6
                | trailing(index + 3)
        }
        return Unicode.Scalar(value).unsafelyUnwrapped
    }

    private func trailing(_ index: Int) -> UInt32 { UInt32(self[index] & 0x3F) }

    /// The length of the bytes in every unit, counted eight bytes at a time.
    package var textLength: TextLength {
        let raw = UnsafeRawBufferPointer(self)
        let ones: UInt64 = 0x0101_0101_0101_0101
        var (continuations, astral, index) = (0, 0, 0)
        while index + 8 <= count {
            #if !hasFeature(Embedded)
                // Most texts are mostly ASCII, and in ASCII there is nothing to count.
                if index + 32 <= count, raw.isASCII32(at: index) {
                    index += 32
                    continue
                }
            #endif
            let word = raw.loadUnaligned(fromByteOffset: index, as: UInt64.self)
            index += 8
            if word & ones << 7 == 0 { continue }
            // 10xxxxxx continues a scalar. 1111xxxx begins a scalar that has two UTF-16 code units.
            continuations += (word >> 7 & ~(word >> 6) & ones).nonzeroBitCount
            astral += (word >> 7 & word >> 6 & word >> 5 & word >> 4 & ones).nonzeroBitCount
        }
        while index < count {
            continuations += self[index] & 0xC0 == 0x80 ? 1 : 0
            astral += self[index] >= 0xF0 ? 1 : 0
            index += 1
        }
        let scalars = count - continuations
        return TextLength(utf8: count, utf16: scalars + astral, scalars: scalars)
    }

    /// The index of the first carriage return, which no text may have.
    var firstCarriageReturn: Int? {
        let raw = UnsafeRawBufferPointer(self)
        let ones: UInt64 = 0x0101_0101_0101_0101
        var index = 0
        #if !hasFeature(Embedded)
            // Every new text is searched completely, so this loop uses vector instructions.
            while index + 32 <= count, !raw.contains32(carriageReturn, at: index) { index += 32 }
        #endif
        while index + 8 <= count {
            let word = raw.loadUnaligned(fromByteOffset: index, as: UInt64.self) ^ 0x0D0D_0D0D_0D0D_0D0D
            // This is not zero if a byte of `word` is zero.
            if (word &- ones) & ~word & ones << 7 != 0 { break }
            index += 8
        }
        while index < count {
            if self[index] == carriageReturn { return index }
            index += 1
        }
        return nil
    }

    /// The index after `units` code units; nil if that index is inside a scalar.
    ///
    /// The bytes must have at least `units` code units.
    func index(after units: Int, in unit: CodeUnit) -> Int? {
        var index = 0
        var left = units
        // First skips blocks of at most 64 bytes. Such a block has at most 64 code units.
        while left >= 64 {
            let next = scalarBoundary(atOrBefore: index + 64)
            left -= UTF8Bytes(rebasing: self[index..<next]).textLength.count(of: unit)
            index = next
        }
        while left > 0 {
            let lead = self[index]
            left -= unit.width(ofScalarWithLead: lead)
            index += utf8Width(ofScalarWithLead: lead)
        }
        return left == 0 ? index : nil
    }
}

#if !hasFeature(Embedded)
    // The browser build has no such methods: without vector instructions, they would be large.
    extension UnsafeRawBufferPointer {
        /// Whether the 32 bytes from `index` on are ASCII.
        @inline(__always)
        fileprivate func isASCII32(at index: Int) -> Bool {
            let words = loadUnaligned(fromByteOffset: index, as: SIMD4<UInt64>.self)
            return (words[0] | words[1] | words[2] | words[3]) & 0x8080_8080_8080_8080 == 0
        }

        /// Whether one of the 32 bytes from `index` on is `byte`.
        @inline(__always)
        fileprivate func contains32(_ byte: UInt8, at index: Int) -> Bool {
            let bytes = loadUnaligned(fromByteOffset: index, as: SIMD32<UInt8>.self)
            // With an inferred element type, the compiler would compare one byte after another.
            let marks = bytes .== SIMD32<UInt8>(repeating: byte)
            let words = unsafeBitCast(marks, to: SIMD4<UInt64>.self)
            return words[0] | words[1] | words[2] | words[3] != 0
        }
    }
#endif

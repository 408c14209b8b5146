// Apple's systems have UTF8Span from version 26 on, and this package supports earlier ones. On other systems,
// the compiler removes the branch for them.
extension UnsafeBufferPointer<UInt8> {
    /// The index of the first byte that is not valid UTF-8. Nil if all bytes are valid.
    package var firstInvalidUTF8: Int? {
        #if hasFeature(Embedded)
            // The standard library's function is over a KB larger.
            return firstInvalidUTF8ByRanges
        #else
            guard #available(macOS 26, iOS 26, *) else { return firstInvalidUTF8ByRanges }
            do throws(UTF8.ValidationError) {
                _ = try UTF8Span(validating: span)
                return nil
            } catch {
                return error.byteOffsets.lowerBound
            }
        #endif
    }

    /// The bytes as a string, which must be valid UTF-8. Systems that can skip the validation do so.
    package var string: String {
        if #available(macOS 26, iOS 26, *) { return String(copying: UTF8Span(unchecked: span)) }
        return String(decoding: self, as: UTF8.self)
    }

    /// The same as `firstInvalidUTF8`, for every version of a system: compares each scalar with the ranges of
    /// the Unicode standard, table 3-7.
    package var firstInvalidUTF8ByRanges: Int? {
        var index = 0
        while index < count {
            if index + 8 <= count {
                let raw = UnsafeRawBufferPointer(self)
                let word = raw.loadUnaligned(fromByteOffset: index, as: UInt64.self)
                if word & 0x8080_8080_8080_8080 == 0 {
                    index += 8
                    continue
                }
            }
            let lead = self[index]
            let second: ClosedRange<UInt8>
            switch lead {
            case 0x00...0x7F:
                index += 1
                continue
            case 0xE0: second = 0xA0...0xBF
            case 0xED: second = 0x80...0x9F
            case 0xF0: second = 0x90...0xBF
            case 0xF4: second = 0x80...0x8F
            case 0xC2...0xF3: second = 0x80...0xBF
            default: return index
            }
            let end = index + utf8Width(ofScalarWithLead: lead)
            guard end <= count, second.contains(self[index + 1]) else { return index }
            for next in index + 2..<end where self[next] & 0xC0 != 0x80 { return index }
            index = end
        }
        return nil
    }
}

extension String {
    /// Calls `body` with the bytes. A native string is not copied. A string bridged from Objective-C is
    /// copied.
    package func withBytes<Result>(_ body: (UTF8Bytes) -> Result) -> Result {
        #if hasFeature(Embedded)
            // The browser build has no bridged strings, and code for them would add several KB.
            return utf8.span.withUnsafeBufferPointer(body)
        #else
            if let result = utf8.withContiguousStorageIfAvailable(body) { return result }
            var copy = self
            return copy.withUTF8(body)
        #endif
    }
}

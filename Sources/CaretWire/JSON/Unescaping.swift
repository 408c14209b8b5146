/// Calls `body` with the unescaped bytes of a checked JSON string.
func withUnescaped<Result>(
    _ raw: UnsafeBufferPointer<UInt8>, _ body: (UnsafeBufferPointer<UInt8>) -> Result
) -> Result {
    // An escape is never shorter than its character, so `raw.count` bytes are enough. A small buffer is on
    // the stack.
    withUnsafeTemporaryAllocation(of: UInt8.self, capacity: raw.count) { buffer in
        let count = unescape(raw, into: buffer)
        return body(UnsafeBufferPointer(rebasing: buffer[..<count]))
    }
}

/// Writes the unescaped bytes of `raw` and returns their number. `buffer` must have at least `raw.count`
/// bytes.
private func unescape(
    _ raw: UnsafeBufferPointer<UInt8>, into buffer: UnsafeMutableBufferPointer<UInt8>
) -> Int {
    var (from, to) = (0, 0)
    while from < raw.count {
        let run = copyRun(of: raw, from: from, to: buffer, at: to)
        to += run
        from += run
        guard from + 1 < raw.count else { break }
        if let plain = raw[from + 1].plainEscape {
            buffer[to] = plain
            to += 1
            from += 2
        } else {
            let (scalar, length) = scalar(escapedAt: from, in: raw)
            for byte in UTF8.encode(scalar).unsafelyUnwrapped {
                buffer[to] = byte
                to += 1
            }
            from += length
        }
    }
    return to
}

/// Copies the bytes from `start` to the next escape, and returns their number. `index` must not be after
/// `start`.
private func copyRun(
    of raw: UnsafeBufferPointer<UInt8>, from start: Int, to buffer: UnsafeMutableBufferPointer<UInt8>,
    at index: Int
) -> Int {
    #if hasFeature(Embedded)
        let run = UnsafeBufferPointer(rebasing: raw[start..<raw.endOfRun(from: start)])
        _ = UnsafeMutableBufferPointer(rebasing: buffer[index...]).update(fromContentsOf: run)
        return run.count
    #else
        // Copies and searches in one pass. A run of text is often a single short line, so a call to copy it
        // and another one to search it would cost more than the pass itself.
        var count = 0
        while start + count + ByteVector.width <= raw.count {
            let vector = ByteVector(raw, at: start + count)
            // This may write bytes after the run. They are overwritten later, or are not part of the result.
            vector.store(in: buffer, at: index + count)
            let length = vector.runLength
            count += length
            if length < ByteVector.width { return count }
        }
        while start + count < raw.count, !raw[start + count].endsRun {
            buffer[index + count] = raw[start + count]
            count += 1
        }
        return count
    #endif
}

/// The scalar of one or two `\u` escapes, and how many bytes the escapes have. The line was checked, so the
/// escapes are valid.
private func scalar(
    escapedAt index: Int, in raw: UnsafeBufferPointer<UInt8>
) -> (Unicode.Scalar, length: Int) {
    let first = unit(at: index + 2, in: raw)
    if let scalar = Unicode.Scalar(first) { return (scalar, 6) }
    let value = 0x10000 + (first & 0x3FF) << 10 + unit(at: index + 8, in: raw) & 0x3FF
    return (Unicode.Scalar(value) ?? "\u{FFFD}", 12)
}

private func unit(at index: Int, in raw: UnsafeBufferPointer<UInt8>) -> UInt32 {
    (index..<min(index + 4, raw.count)).reduce(0) { $0 << 4 | UInt32(raw[$1].hexDigit ?? 0) }
}

extension UInt8 {
    /// The character that a backslash and this letter mean; nil for `u`, because digits follow it.
    fileprivate var plainEscape: UInt8? {
        switch self {
        case UInt8(ascii: "b"): 0x08
        case UInt8(ascii: "t"): 0x09
        case UInt8(ascii: "n"): 0x0A
        case UInt8(ascii: "f"): 0x0C
        case UInt8(ascii: "r"): 0x0D
        case UInt8(ascii: "u"): nil
        default: self
        }
    }
}

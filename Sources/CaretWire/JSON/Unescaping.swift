/// Calls `body` with the bytes that the inside of a checked JSON string stands for.
func withUnescaped<Result>(
    _ raw: UnsafeBufferPointer<UInt8>, _ body: (UnsafeBufferPointer<UInt8>) -> Result
) -> Result {
    // No escape is shorter than what it stands for. A small one lies on the stack.
    withUnsafeTemporaryAllocation(of: UInt8.self, capacity: raw.count) { room in
        let count = unescape(raw, into: room)
        return body(UnsafeBufferPointer(rebasing: room[..<count]))
    }
}

/// Writes the bytes that `raw` stands for, and answers how many. `room` has at least as many as `raw`.
private func unescape(
    _ raw: UnsafeBufferPointer<UInt8>, into room: UnsafeMutableBufferPointer<UInt8>
) -> Int {
    var (from, to) = (0, 0)
    while from < raw.count {
        let end = raw.endOfRun(from: from)
        let run = UnsafeBufferPointer(rebasing: raw[from..<end])
        _ = UnsafeMutableBufferPointer(rebasing: room[to...]).update(fromContentsOf: run)
        to += run.count
        from = end
        guard from + 1 < raw.count else { break }
        if let plain = raw[from + 1].plainEscape {
            room[to] = plain
            to += 1
            from += 2
        } else {
            let (scalar, length) = scalar(escapedAt: from, in: raw)
            for byte in UTF8.encode(scalar).unsafelyUnwrapped {
                room[to] = byte
                to += 1
            }
            from += length
        }
    }
    return to
}

/// The scalar of a `\u` or of a pair of them, and how many bytes that takes. The line was checked, so there is one.
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
    /// What this letter behind a backslash stands for; nil for `u`, whose digits say it.
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

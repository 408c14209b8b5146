import CaretCore

extension String {
    /// Converts a UTF-16 offset in this string to the matching offset in `withLineFeeds`.
    package func offsetInLineFeeds(of offset: Int) -> Int {
        if !hasCarriageReturn { return offset }
        var dropped = 0
        var last: UInt16 = 0
        for unit in utf16.prefix(offset) {
            if unit == 0x0A, last == 0x0D { dropped += 1 }
            last = unit
        }
        return offset - dropped
    }
}

extension [UInt8] {
    /// Lines that lie together, each with its end.
    package var linesApart: [[UInt8]] {
        split(omittingEmptySubsequences: false) { $0 == UInt8(ascii: "\n") }.dropLast().map {
            $0 + [UInt8(ascii: "\n")]
        }
    }
}

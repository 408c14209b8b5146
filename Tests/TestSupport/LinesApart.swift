extension [UInt8] {
    /// The lines in some bytes, each with its line end.
    package var linesApart: [[UInt8]] {
        split(omittingEmptySubsequences: false) { $0 == UInt8(ascii: "\n") }.dropLast().map {
            $0 + [UInt8(ascii: "\n")]
        }
    }
}

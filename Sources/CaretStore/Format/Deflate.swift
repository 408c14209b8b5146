import CZlib

/// zlib over whole blocks of bytes.
enum Deflate {
    /// What a block may grow to: more is damage, or somebody's attempt to fill the memory.
    static let largest = 256 << 20

    static func packed(_ bytes: [UInt8]) -> [UInt8] {
        var length = compressBound(UInt(bytes.count))
        var packed = [UInt8](repeating: 0, count: Int(length))
        let code = compress2(&packed, &length, bytes, UInt(bytes.count), 9)
        precondition(code == Z_OK, "zlib cannot pack \(bytes.count) bytes into its own bound: \(code)")
        packed.removeLast(packed.count - Int(length))
        return packed
    }

    static func unpacked(_ packed: ArraySlice<UInt8>, count: Int) throws(SegmentFault) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: count)
        var length = UInt(count)
        let code = packed.withUnsafeBufferPointer { source in
            uncompress(&bytes, &length, source.baseAddress, UInt(source.count))
        }
        guard code == Z_OK, length == UInt(count) else { throw .notInflated(code) }
        return bytes
    }
}

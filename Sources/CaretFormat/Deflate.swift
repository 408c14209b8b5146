import CZlib

/// Compresses whole blocks of bytes with zlib.
package enum Deflate {
    /// What is around the compressed bytes.
    package enum Format {
        /// Two bytes, and a checksum at the end.
        case zlib
        /// What `Content-Encoding: gzip` means in HTTP. Equal bytes have an equal compressed form, because no
        /// time is stored.
        case gzip
    }

    /// The most bytes of an uncompressed block. A larger count means damage, or an attempt to exhaust memory.
    static let largest = 256 << 20

    package static func packed(_ bytes: [UInt8], as format: Format = .zlib) -> [UInt8] {
        var stream = z_stream()
        // zlib clears its window and tables on every call, so make them no larger than the input needs.
        let window = Int32(max(9, min(15, Int.bitWidth - max(bytes.count - 1, 0).leadingZeroBitCount)))
        // Adding 16 selects gzip. The server uses gzip at each start. With level 9 that would take 1.4 times as
        // long, and save 0.2 % of the bytes.
        let (level, windowBits): (Int32, Int32) = format == .gzip ? (6, window + 16) : (9, window)
        let started = deflateInit2_(
            &stream, level, Z_DEFLATED, windowBits, min(8, window - 5), Z_DEFAULT_STRATEGY, ZLIB_VERSION,
            Int32(MemoryLayout<z_stream>.size))
        precondition(started == Z_OK, "zlib has no memory to compress \(bytes.count) bytes: \(started)")
        defer { deflateEnd(&stream) }
        let bound = Int(deflateBound(&stream, UInt(bytes.count)))
        return bytes.withUnsafeBufferPointer { source in
            [UInt8](unsafeUninitializedCapacity: bound) { target, count in
                stream.next_in = UnsafeMutablePointer(mutating: source.baseAddress)
                stream.avail_in = UInt32(source.count)
                stream.next_out = target.baseAddress
                stream.avail_out = UInt32(target.count)
                let code = deflate(&stream, Z_FINISH)
                precondition(
                    code == Z_STREAM_END,
                    "zlib needs more than its own bound to compress \(source.count) bytes: \(code)"
                )
                count = bound - Int(stream.avail_out)
            }
        }
    }

    static func unpacked(_ packed: ArraySlice<UInt8>, count: Int) throws(SegmentFault) -> [UInt8] {
        // zlib decompresses one byte to at most 1,032 bytes. A larger count is wrong, so refuse it before
        // allocating memory.
        guard count <= packed.count * 1032 else { throw .numberOutOfRange }
        var bytes = [UInt8](repeating: 0, count: count)
        var length = UInt(count)
        let code = packed.withUnsafeBufferPointer { source in
            uncompress(&bytes, &length, source.baseAddress, UInt(source.count))
        }
        guard code == Z_OK, length == UInt(count) else { throw .decompressionFailed(code) }
        return bytes
    }
}

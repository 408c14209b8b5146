import CZlib

/// Reads bytes that were compressed with gzip.
package enum Gzip {
    /// What zlib answered instead of the whole content.
    struct Broken: Error {
        let code: Int32
    }

    package static func decompressed(_ input: [UInt8]) throws -> [UInt8] {
        var stream = z_stream()
        let started = inflateInit2_(&stream, MAX_WBITS + 16, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size))
        guard started == Z_OK else { throw Broken(code: started) }
        defer { inflateEnd(&stream) }
        var (input, output) = (input, [UInt8]())
        var block = [UInt8](repeating: 0, count: 1 << 20)
        return try input.withUnsafeMutableBufferPointer { source in
            stream.next_in = source.baseAddress
            stream.avail_in = UInt32(source.count)
            while true {
                let (code, length) = block.withUnsafeMutableBufferPointer { target in
                    stream.next_out = target.baseAddress
                    stream.avail_out = UInt32(target.count)
                    return (inflate(&stream, Z_NO_FLUSH), target.count - Int(stream.avail_out))
                }
                output += block[..<length]
                if code == Z_STREAM_END { return output }
                guard code == Z_OK else { throw Broken(code: code) }
            }
        }
    }
}

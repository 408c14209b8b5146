import CZlib
package import FoundationEssentials

/// Where the recorded sessions are: beside the repository, because they are not part of it.
package enum TraceFolder {
    /// Why a test or benchmark that needs the sessions is skipped; nil if the folder exists.
    package static var reasonForAbsence: String? {
        FileManager.default.fileExists(atPath: path)
            ? nil : "no recorded sessions in ../shared/traces beside the repository"
    }

    /// The text of the session named `name`.
    package static func contents(of name: String) throws -> Data {
        let compressed = try Data(contentsOf: URL(filePath: "\(path)/\(name).json.gz"))
        return try inflated([UInt8](compressed))
    }

    private static var path: String {
        var folder = URL(filePath: #filePath)
        for _ in 0..<3 { folder.deleteLastPathComponent() }
        return folder.deletingLastPathComponent().path + "/shared/traces"
    }

    private struct Broken: Error {
        let code: Int32
    }

    /// Decompresses gzip data.
    private static func inflated(_ input: [UInt8]) throws -> Data {
        var stream = z_stream()
        let started = inflateInit2_(&stream, MAX_WBITS + 16, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size))
        guard started == Z_OK else { throw Broken(code: started) }
        defer { inflateEnd(&stream) }
        var (input, output) = (input, Data())
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
                output.append(contentsOf: block[..<length])
                if code == Z_STREAM_END { return output }
                guard code == Z_OK else { throw Broken(code: code) }
            }
        }
    }
}

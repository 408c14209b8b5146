import CZlib
import FoundationEssentials

/// Searches every byte of the files of a folder for a text, also in compressed form.
package enum FolderSearch {
    /// Where the folder contains the text: names of files. A compressed part is found wherever it begins, so
    /// also in the unused parts of a database.
    package static func findings(of text: String, in folder: String) throws -> [String] {
        let (needle, names) = (Array(text.utf8), try FileManager.default.subpathsOfDirectory(atPath: folder))
        var findings: [String] = []
        for name in names.sorted() {
            let path = folder + "/" + name
            guard let bytes = FileManager.default.contents(atPath: path) else { continue }
            let all = [UInt8](bytes)
            if contains(all, needle) { findings.append(name) }
            for offset in all.indices.dropLast() where beginsZlib(all[offset], all[offset + 1]) {
                if contains(inflated(all[offset...]), needle) {
                    findings.append("\(name), compressed at \(offset)")
                }
            }
        }
        return findings
    }

    private static func contains(_ bytes: [UInt8], _ needle: [UInt8]) -> Bool {
        var rest = bytes[...]
        while let start = rest.firstIndex(of: needle[0]) {
            if bytes[start...].starts(with: needle) { return true }
            rest = bytes[(start + 1)...]
        }
        return false
    }

    /// The first two bytes of a zlib stream name the method, and have a checksum.
    private static func beginsZlib(_ method: UInt8, _ flags: UInt8) -> Bool {
        method & 15 == 8 && method >> 4 < 8 && flags & 32 == 0 && (Int(method) << 8 | Int(flags)) % 31 == 0
    }

    /// As much as can be decompressed, even if the rest was overwritten.
    private static func inflated(_ bytes: ArraySlice<UInt8>) -> [UInt8] {
        var stream = z_stream()
        guard inflateInit_(&stream, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size)) == Z_OK else {
            return []
        }
        defer { inflateEnd(&stream) }
        var (input, output) = (Array(bytes.prefix(1 << 20)), [UInt8]())
        var block = [UInt8](repeating: 0, count: 1 << 14)
        input.withUnsafeMutableBufferPointer { source in
            stream.next_in = source.baseAddress
            stream.avail_in = UInt32(source.count)
            var code = Z_OK
            while code == Z_OK {
                let length = block.withUnsafeMutableBufferPointer { target in
                    stream.next_out = target.baseAddress
                    stream.avail_out = UInt32(target.count)
                    code = inflate(&stream, Z_SYNC_FLUSH)
                    return target.count - Int(stream.avail_out)
                }
                output += block[..<length]
                if length == 0 { break }
            }
        }
        return output
    }
}

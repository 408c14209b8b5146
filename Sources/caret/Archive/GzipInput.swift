import CZlib
import Glibc

/// What a file holds that was packed by gzip; one that was not is read as it is.
final class GzipInput {
    enum Fault: Error, Equatable {
        case system(Int32)
        /// The bytes are not those that were packed.
        case damaged
    }

    private let file: gzFile

    init(_ path: String) throws(Fault) {
        guard let file = gzopen(path, "rb") else { throw .system(errno) }
        self.file = file
        gzbuffer(file, 1 << 17)
    }

    deinit { gzclose(file) }

    /// How many bytes there were; 0 at the end.
    func read(into bytes: inout [UInt8]) throws(Fault) -> Int {
        let count = bytes.withUnsafeMutableBytes { gzread(file, $0.baseAddress, UInt32($0.count)) }
        if count >= 0 { return Int(count) }
        throw code == Z_ERRNO ? .system(errno) : .damaged
    }

    /// The file ends before what was packed into it.
    var isCutOff: Bool { code == Z_BUF_ERROR }

    private var code: Int32 {
        var code: Int32 = 0
        gzerror(file, &code)
        return code
    }
}

import FoundationEssentials
import Glibc

/// Reads a whole text from a file or from standard input.
enum TextFile {
    /// `path` can be `-`, for standard input.
    static func text(at path: String) throws(Failure) -> String {
        let bytes = try bytes(at: path)
        do throws(UTF8.ValidationError) {
            return String(copying: try UTF8Span(validating: bytes.span))
        } catch {
            throw Failure(
                "\(name(path)): not UTF-8 text: invalid at byte \(error.byteOffsets.lowerBound)",
                advice: "nothing was changed; convert the file, for example with iconv -t UTF-8")
        }
    }

    private static func bytes(at path: String) throws(Failure) -> [UInt8] {
        do {
            if path == "-" { return Array(try FileHandleBytes.all(STDIN_FILENO)) }
            return Array(try Data(contentsOf: URL(filePath: path)))
        } catch {
            // The error that was thrown does not say why the file cannot be read, but `errno` does.
            throw Failure("\(name(path)): cannot be read: \(String(cString: strerror(errno)))")
        }
    }

    private static func name(_ path: String) -> String { path == "-" ? "standard input" : path }
}

/// Reads a descriptor to its end.
private enum FileHandleBytes {
    struct Unreadable: Error {}

    static func all(_ descriptor: Int32) throws(Unreadable) -> [UInt8] {
        var bytes: [UInt8] = []
        var piece = [UInt8](repeating: 0, count: 1 << 16)
        while true {
            let count = read(descriptor, &piece, piece.count)
            if count == 0 { return bytes }
            if count < 0, errno != EINTR { throw Unreadable() }
            bytes += piece.prefix(max(0, count))
        }
    }
}

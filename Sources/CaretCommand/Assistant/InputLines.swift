import Dispatch
import Glibc
import Synchronization

/// The lines of standard input, as they arrive. Ends with the input, or before a line that is too long.
final class InputLines: AsyncSequence, Sendable {
    typealias Element = [UInt8]

    /// A whole text in JSON, with escapes, is shorter than this.
    static let longest = 16 << 20

    private let lines: AsyncStream<[UInt8]>

    init(of descriptor: Int32) {
        let (lines, feed) = AsyncStream<[UInt8]>.makeStream()
        self.lines = lines
        // Reading blocks, so it has a queue of its own.
        DispatchQueue(label: "caret.input").async {
            InputLines.read(descriptor) { feed.yield($0) }
            feed.finish()
        }
    }

    func makeAsyncIterator() -> AsyncStream<[UInt8]>.Iterator { lines.makeAsyncIterator() }

    private static func read(_ descriptor: Int32, _ body: ([UInt8]) -> Void) {
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        var line: [UInt8] = []
        while true {
            let count = Glibc.read(descriptor, &buffer, buffer.count)
            if count < 0, errno == EINTR { continue }
            if count <= 0 { break }
            var rest = buffer[..<count]
            while let end = rest.firstIndex(of: 0x0A) {
                body(line + rest[..<end])
                line = []
                rest = rest[(end + 1)...]
            }
            line += rest
            if line.count > longest { return }
        }
        if !line.isEmpty { body(line) }
    }
}

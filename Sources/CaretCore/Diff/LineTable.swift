/// A text as lines of bytes. After a line break at the end of the text, there is no further line.
package struct LineTable: Sendable {
    package let bytes: [UInt8]
    /// The offset at which each line begins.
    private let starts: [Int]

    package init(_ text: String) {
        bytes = Array(text.utf8)
        var starts: [Int] = []
        var isStart = true
        for (index, byte) in bytes.enumerated() {
            if isStart { starts.append(index) }
            isStart = byte == UInt8(ascii: "\n")
        }
        self.starts = starts
    }

    package var count: Int { starts.count }

    /// The line that contains a byte. For the end of the text, the result is the last line. But if the text
    /// is empty or ends with a line break, the result is the number of lines.
    package func line(of byte: Int) -> Int {
        if byte == bytes.count, bytes.last == nil || bytes.last == UInt8(ascii: "\n") { return count }
        var (low, high) = (0, count)
        while low < high {
            let middle = (low + high) / 2
            if starts[middle] <= byte { low = middle + 1 } else { high = middle }
        }
        return low - 1
    }

    /// A line with its line break.
    package func range(_ line: Int) -> Range<Int> {
        starts[line]..<(line + 1 < count ? starts[line + 1] : bytes.count)
    }

    /// A line without its line break.
    package func content(_ line: Int) -> Range<Int> {
        let range = range(line)
        return hasLineBreak(line) ? range.lowerBound..<range.upperBound - 1 : range
    }

    package func hasLineBreak(_ line: Int) -> Bool { bytes[range(line).upperBound - 1] == UInt8(ascii: "\n") }

    package func text(_ range: Range<Int>) -> String { String(decoding: bytes[range], as: UTF8.self) }
}

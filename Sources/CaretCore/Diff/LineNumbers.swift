/// Assigns numbers to the lines of two texts. Equal lines get equal numbers, so that a search compares
/// numbers instead of bytes.
///
/// Only a line that is in both texts and is not blank can separate edits. Other lines get no number.
struct LineNumbers {
    /// The numbers of the lines of each text, in the order of the lines.
    private(set) var old: [UInt32] = []
    private(set) var new: [UInt32] = []
    /// The byte range of the line for each entry of `old` and of `new`.
    private(set) var oldLines: [Range<Int>] = []
    private(set) var newLines: [Range<Int>] = []

    init(from oldBytes: UTF8Bytes, to newBytes: UTF8Bytes) {
        let table = LineNumberTable(oldBytes)
        var isInNew = [Bool](repeating: false, count: table.lines.count)
        new.reserveCapacity(table.lines.count)
        newLines.reserveCapacity(table.lines.count)
        var reader = LineReader(newBytes)
        // The old line after the last match. This line is usually the next match. So the lines are first
        // compared directly: to compare a long equal passage at once is faster than to hash its lines.
        var expected = 0
        var equalLength = 0
        while reader.position < newBytes.count {
            let start = reader.position
            if equalLength == 0 { equalLength = table.equalLength(from: expected, newBytes, start) }
            if let length = table.lengthOfLine(expected, within: equalLength) {
                reader.skip(length)
                equalLength -= length
            } else if let line = reader.next(), let found = table.find(line, in: newBytes) {
                expected = found
                equalLength = 0
            } else {
                equalLength = 0
                continue
            }
            let number = table.numbers[expected]
            if number != LineNumberTable.none {
                isInNew[Int(number)] = true
                new.append(number)
                newLines.append(start..<reader.position)
            }
            expected += 1
        }
        keepOldLines(of: table, where: isInNew)
    }

    private mutating func keepOldLines(of table: LineNumberTable, where isInNew: [Bool]) {
        old.reserveCapacity(table.lines.count)
        oldLines.reserveCapacity(table.lines.count)
        for (line, number) in table.numbers.enumerated() {
            if number == LineNumberTable.none || !isInNew[Int(number)] { continue }
            old.append(number)
            oldLines.append(table.lines[line])
        }
    }
}

/// A hash table of the lines of one text. A line's number is the index of the first line that equals it.
private struct LineNumberTable {
    /// How many slots a lookup visits at most. Without a limit, a crafted text could take quadratic time. A
    /// line that finds no slot gets no number, so it counts as changed.
    private static let longestProbe = 32
    private static let free = UInt64.max
    /// The number of a blank line, and of a line that found no slot.
    // Optional numbers would need twice the memory, and more code in the browser.
    static let none = UInt32.max

    private let bytes: UTF8Bytes
    private(set) var lines: [Range<Int>] = []
    /// The number of each line, or `none`.
    private(set) var numbers: [UInt32] = []
    /// Each used slot has the number of a line, and the upper half of its hash.
    private var slots: [UInt64]
    private let mask: Int

    init(_ bytes: UTF8Bytes) {
        self.bytes = bytes
        var hashes: [UInt64] = []
        lines.reserveCapacity(bytes.count / 32)
        hashes.reserveCapacity(bytes.count / 32)
        var reader = LineReader(bytes)
        while let line = reader.next() {
            lines.append(line.range)
            hashes.append(line.hash)
        }
        var capacity = 16
        while capacity < 2 * lines.count { capacity *= 2 }
        slots = [UInt64](repeating: LineNumberTable.free, count: capacity)
        mask = capacity - 1
        numbers.reserveCapacity(lines.count)
        for (line, hash) in hashes.enumerated() { numbers.append(assignNumber(to: line, hash)) }
    }

    /// How many bytes from the start of `line` equal the bytes from `start` in another text.
    func equalLength(from line: Int, _ other: UTF8Bytes, _ start: Int) -> Int {
        guard line < lines.count else { return 0 }
        let rest = UTF8Bytes(rebasing: bytes[lines[line].lowerBound...])
        return rest.commonPrefixLength(with: UTF8Bytes(rebasing: other[start...]))
    }

    /// The length of a line if it is at most `length` and ends with a line break; otherwise nil. The line
    /// break shows that the equal bytes are a whole line in both texts.
    func lengthOfLine(_ line: Int, within length: Int) -> Int? {
        guard line < lines.count, lines[line].count <= length, bytes[lines[line].upperBound - 1] == lineFeed
        else {
            return nil
        }
        return lines[line].count
    }

    /// The index of the first line that equals a line of another text.
    func find(_ line: LineReader.Line, in other: UTF8Bytes) -> Int? {
        if line.hash == LineReader.Line.blank { return nil }
        guard case .number(let number) = probe(line.hash, other, line.range) else { return nil }
        return Int(number)
    }

    private mutating func assignNumber(to line: Int, _ hash: UInt64) -> UInt32 {
        if hash == LineReader.Line.blank { return LineNumberTable.none }
        switch probe(hash, bytes, lines[line]) {
        case .number(let number): return number
        case .free(let slot):
            slots[slot] = hash & ~0xFFFF_FFFF | UInt64(line)
            return UInt32(truncatingIfNeeded: line)
        case .none: return LineNumberTable.none
        }
    }

    private enum Probe {
        case number(UInt32)
        case free(Int)
        case none
    }

    private func probe(_ hash: UInt64, _ other: UTF8Bytes, _ range: Range<Int>) -> Probe {
        var slot = Int(truncatingIfNeeded: hash) & mask
        for _ in 0..<LineNumberTable.longestProbe {
            let entry = slots[slot]
            if entry == LineNumberTable.free { return .free(slot) }
            if entry >> 32 == hash >> 32 {
                let line = lines[Int(entry & 0xFFFF_FFFF)]
                if UTF8Bytes(rebasing: bytes[line]).isEqual(to: UTF8Bytes(rebasing: other[range])) {
                    return .number(UInt32(truncatingIfNeeded: entry))
                }
            }
            slot = (slot + 1) & mask
        }
        return .none
    }
}

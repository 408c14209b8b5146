/// The keys of all objects that are open while a line is checked. The keys of the innermost object come last.
///
/// Reuses the memory of earlier lines, so most lines allocate no memory.
struct KeyStack {
    /// A key and the start of its value. A key takes only two machine words, because a hostile line may have
    /// very many keys.
    struct Key {
        /// The start of the key in the line, or in `unescaped` if the key was escaped.
        let start: UInt32
        private let lengthAndEscape: UInt32
        /// The start of the value in the line.
        let value: UInt32
        /// The start of the key in the line, even if the key was escaped.
        let lineStart: UInt32

        init(start: Int, length: Int, isEscaped: Bool, value: Int, lineStart: Int) {
            self.start = UInt32(truncatingIfNeeded: start)
            lengthAndEscape = UInt32(truncatingIfNeeded: length) << 1 | (isEscaped ? 1 : 0)
            self.value = UInt32(truncatingIfNeeded: value)
            self.lineStart = UInt32(truncatingIfNeeded: lineStart)
        }

        var length: Int { Int(lengthAndEscape >> 1) }
        var isEscaped: Bool { lengthAndEscape & 1 == 1 }
    }

    /// The longest line whose offsets fit in a key.
    static let longestLine = Int(Int32.max)

    private(set) var keys: [Key] = []
    /// The escaped keys of the line, after unescaping.
    private(set) var unescaped: [UInt8] = []
    /// A hash table of indices into `keys`, counted from 1; 0 is a free slot.
    private var table: [UInt32] = []

    /// Up to this many keys of an object are compared pairwise. If there are more keys, they are hashed.
    private static let mostComparedPairwise = 16
    /// Buffers with a larger capacity are not kept for the next line.
    private static let mostKeptCapacity = 1 << 10

    /// The longest string value of the line. In a long line, this usually is the pushed text, so its end need
    /// not be searched again.
    private(set) var longestString = StringPlace()

    /// Where a string value is.
    struct StringPlace {
        /// The index of the opening quote.
        private(set) var start = 0
        /// The index after the closing quote.
        private(set) var end = 0
        private(set) var hasEscape = false
    }

    var count: Int { keys.count }

    /// Remembers a string value if it is the longest one so far.
    @inline(__always)
    mutating func noteString(from start: Int, to end: Int, hasEscape: Bool) {
        if end - start <= longestString.end - longestString.start { return }
        longestString = StringPlace(start: start, end: end, hasEscape: hasEscape)
    }

    mutating func removeAll() {
        longestString = StringPlace()
        keys.removeAll(keepingCapacity: true)
        unescaped.removeAll(keepingCapacity: true)
    }

    /// Frees the extra memory that an unusual line needed. A large buffer is replaced by an empty one. So the
    /// keys are never copied, even if they are still referenced elsewhere.
    mutating func shrink() {
        if keys.capacity > KeyStack.mostKeptCapacity { keys = [] }
        if unescaped.capacity > KeyStack.mostKeptCapacity { unescaped = [] }
        if table.capacity > KeyStack.mostKeptCapacity { table = [] }
    }

    /// Adds a key of the line whose value begins at `value`.
    mutating func append(_ key: JSONString, value: Int) {
        let lineStart = key.range.lowerBound
        var (start, length) = (lineStart, key.range.count)
        if key.hasEscape {
            start = unescaped.count
            withUnescaped(key.raw) { unescaped.append(contentsOf: $0) }
            length = unescaped.count - start
        }
        keys.append(
            Key(start: start, length: length, isEscaped: key.hasEscape, value: value, lineStart: lineStart))
    }

    mutating func removeLast(to count: Int) { keys.removeLast(keys.count - count) }

    /// Finds the first key from `base` on that equals an earlier key. Returns where this key starts in the
    /// line.
    mutating func duplicate(from base: Int, in line: UnsafeBufferPointer<UInt8>) -> Int? {
        if keys.count - base <= 1 { return nil }
        let found =
            keys.count - base <= KeyStack.mostComparedPairwise
            ? compared(from: base, line) : hashed(from: base, line)
        return found.map { Int(keys[$0].lineStart) }
    }

    private func compared(from base: Int, _ line: UnsafeBufferPointer<UInt8>) -> Int? {
        for index in base + 1..<keys.count {
            for earlier in base..<index where areEqual(earlier, index, line) { return index }
        }
        return nil
    }

    /// Each process has a random hash seed, so a client cannot choose keys that collide.
    private mutating func hashed(from base: Int, _ line: UnsafeBufferPointer<UInt8>) -> Int? {
        let count = keys.count - base
        let size = 1 << (Int.bitWidth - (2 * count - 1).leadingZeroBitCount)
        table.removeAll(keepingCapacity: true)
        table.append(contentsOf: repeatElement(0, count: size))
        for index in base..<keys.count {
            var slot = hash(index, line) & (size - 1)
            while table[slot] != 0 {
                if areEqual(Int(table[slot]) - 1, index, line) { return index }
                slot = (slot + 1) & (size - 1)
            }
            table[slot] = UInt32(truncatingIfNeeded: index + 1)
        }
        return nil
    }

    private func hash(_ index: Int, _ line: UnsafeBufferPointer<UInt8>) -> Int {
        var hasher = Hasher()
        withBytes(of: keys[index], line) { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
        return hasher.finalize()
    }

    private func areEqual(_ left: Int, _ right: Int, _ line: UnsafeBufferPointer<UInt8>) -> Bool {
        let (left, right) = (keys[left], keys[right])
        guard left.length == right.length else { return false }
        return withBytes(of: left, line) { left in
            withBytes(of: right, line) { right in left.indices.allSatisfy { left[$0] == right[$0] } }
        }
    }

    private func withBytes<Result>(
        of key: Key, _ line: UnsafeBufferPointer<UInt8>, _ body: (UnsafeBufferPointer<UInt8>) -> Result
    ) -> Result {
        let range = Int(key.start)..<Int(key.start) + key.length
        if !key.isEscaped { return body(UnsafeBufferPointer(rebasing: line[range])) }
        return unescaped.withUnsafeBufferPointer { body(UnsafeBufferPointer(rebasing: $0[range])) }
    }
}

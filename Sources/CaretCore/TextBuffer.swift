/// The text of a document: UTF-8 in chunks, with its length known in all three units.
///
/// Copies are cheap: a copy is a snapshot that shares all chunks, and only chunks that change later are
/// copied. The text is always valid UTF-8 without carriage returns. Finding a position takes time
/// proportional to the square root of the length, and constant time near the last edit.
public struct TextBuffer: Sendable {
    /// All groups. If a chunk is open, an empty chunk is in its place.
    private(set) var tree: [ChunkGroup]
    /// The length of the text in every unit.
    public private(set) var length: TextLength
    /// The chunk of the last edit, which was taken out of the tree; or an empty chunk.
    ///
    /// The next edit is usually in the same chunk. Then it changes no group, so it does not look at the
    /// arrays of the tree.
    private(set) var open = Chunk.empty
    /// Where the open chunk belongs.
    private(set) var openPosition = ChunkPosition()

    public init() {
        self.init(groups: [])
    }

    /// Makes a text of bytes that are known to be valid and free of carriage returns.
    init(unchecked bytes: UTF8Bytes) {
        var chunks: [Chunk] = []
        Chunk.cut(bytes, into: &chunks)
        var groups: [ChunkGroup] = []
        ChunkGroup.cut(chunks, into: &groups)
        self.init(groups: groups)
    }

    private init(groups: [ChunkGroup]) {
        tree = groups
        length = .zero
        for group in groups { length += group.length }
    }

    /// The groups as they are while no chunk is open. For tests.
    package var groups: [ChunkGroup] {
        var copy = self
        copy.close()
        return copy.tree
    }

    /// The end of the text, which is its length in UTF-16 code units.
    public var end: Offset { Offset(length.utf16) }

    public var isEmpty: Bool { length.utf8 == 0 }

    /// Replaces the code units in `units` by `bytes`, whose length is `inserted`.
    ///
    /// `units` must be in the text. If an end of `units` is inside a scalar, changes nothing and returns the
    /// offset of that end. Otherwise returns nil.
    mutating func replace(_ units: Range<Int>, with bytes: UTF8Bytes, of inserted: TextLength) -> Int? {
        if !isInOpen(units) {
            close()
            if tree.isEmpty {
                self = TextBuffer(unchecked: bytes)
                return nil
            }
            openPosition = chunkPosition(of: units.lowerBound, beforeUnit: !units.isEmpty)
            exchangeOpen()
        }
        let first = openPosition
        let local = units.lowerBound - first.start..<units.upperBound - first.start
        switch open.replace(units: local, with: bytes, of: inserted) {
        case .replaced(let growth):
            length += growth
            return nil
        case .insideScalar(let unit): return first.start + unit
        case .unfit:
            close()
            return replaceAcrossChunks(from: first, units, with: bytes)
        }
    }

    /// Whether an edit of `units` begins in the open chunk.
    private func isInOpen(_ units: Range<Int>) -> Bool {
        let needed = units.isEmpty ? units.lowerBound : units.lowerBound + 1
        let start = openPosition.start
        return !open.isEmpty && units.lowerBound >= start && needed <= start + open.utf16Count
    }

    #if !hasFeature(Embedded)
        /// Makes an edit as a keyboard makes it: replaces the code units in `units` by no byte or by one,
        /// which is `letter`. Returns false and changes nothing if the edit is not at the gap of the open
        /// chunk, or needs more work.
        // The browser build has no such method, because the method would add almost a KB.
        @inline(__always) mutating func type(_ letter: UInt8, _ count: Int, over units: Range<Int>) -> Bool {
            let start = openPosition.start
            let (low, high) = (units.lowerBound &- start, units.upperBound &- start)
            guard open.type(letter, count, from: low, to: high) else { return false }
            let growth = count &- units.count
            length += TextLength(utf8: growth, utf16: growth, scalars: growth)
            return true
        }
    #endif

    /// Puts the open chunk back into the tree.
    private mutating func close() {
        if open.isEmpty { return }
        open.trim()
        exchangeOpen()
    }

    /// Exchanges `open` and the chunk at `openPosition`. One of them is empty.
    private mutating func exchangeOpen() {
        tree[openPosition.index.group].exchange(&open, atChunk: openPosition.index.chunk)
    }

    /// If `beforeUnit` is true, returns the chunk that contains the code unit at `offset`. If it is false,
    /// the chunk may also end at `offset`.
    ///
    /// The text must not be empty, the offset must be in it, and no chunk may be open.
    private func chunkPosition(of offset: Int, beforeUnit: Bool) -> ChunkPosition {
        let needed = beforeUnit ? offset + 1 : offset
        var (group, start) = (0, 0)
        while start &+ tree[group].length.utf16 < needed {
            start &+= tree[group].length.utf16
            group += 1
        }
        let (chunk, units) = tree[group].chunk(reaching: needed - start)
        return ChunkPosition(index: ChunkIndex(group: group, chunk: chunk), start: start + units)
    }

    /// Makes new chunks from the kept start of the first chunk, `inserted`, and the kept end of the last
    /// chunk.
    private mutating func replaceAcrossChunks(
        from position: ChunkPosition, _ units: Range<Int>, with inserted: UTF8Bytes
    ) -> Int? {
        guard let low = try? length(before: units.lowerBound, in: .utf16).utf8 else {
            return units.lowerBound
        }
        guard let high = try? length(before: units.upperBound, in: .utf16).utf8 else {
            return units.upperBound
        }
        var first = position.index
        var last = chunkPosition(of: units.upperBound, beforeUnit: false).index
        var (start, end) = (start(of: first), start(of: last) + chunk(at: last).utf8Count)
        if low - start + inserted.count + end - high < Chunk.minimum {
            if let next = self.next(after: last) {
                last = next
                end += chunk(at: next).utf8Count
            } else if let previous = self.previous(before: first) {
                first = previous
                start -= chunk(at: previous).utf8Count
            }
        }
        var joined = bytes(in: start..<low)
        joined.append(contentsOf: inserted)
        joined.append(contentsOf: bytes(in: high..<end))
        replaceChunks(from: first, through: last, with: joined)
        return nil
    }

    /// The number of bytes before a chunk.
    private func start(of index: ChunkIndex) -> Int {
        var count = 0
        for group in 0..<index.group { count += tree[group].length.utf8 }
        for chunk in 0..<index.chunk { count += tree[index.group].chunks[chunk].utf8Count }
        return count
    }

    /// Replaces the chunks from `first` through `last` by chunks made from `bytes`.
    private mutating func replaceChunks(
        from first: ChunkIndex, through last: ChunkIndex, with bytes: [UInt8]
    ) {
        var chunks: [Chunk] = []
        for index in 0..<first.chunk { chunks.append(tree[first.group].chunks[index]) }
        bytes.withUnsafeBufferPointer { Chunk.cut($0, into: &chunks) }
        let lastGroup = tree[last.group].chunks
        for index in (last.chunk + 1)..<lastGroup.count { chunks.append(lastGroup[index]) }
        replaceGroups(first.group...last.group, with: chunks)
    }

    /// Replaces the groups in `range` by groups made from `chunks`.
    private mutating func replaceGroups(_ range: ClosedRange<Int>, with chunks: [Chunk]) {
        var (end, chunks) = (range.upperBound + 1, chunks)
        if chunks.count < ChunkGroup.minimum, end < tree.count {
            for chunk in tree[end].chunks { chunks.append(chunk) }
            end += 1
        }
        var joined: [ChunkGroup] = []
        joined.reserveCapacity(tree.count + 1)
        for index in 0..<range.lowerBound { joined.append(tree[index]) }
        ChunkGroup.cut(chunks, into: &joined)
        for index in end..<tree.count { joined.append(tree[index]) }
        self = TextBuffer(groups: joined)
    }
}

/// The text of a document: UTF-8 in chunks, with its length known in all three units.
///
/// Copies are cheap: a copy is a snapshot that shares all chunks, and only chunks that change later are
/// copied. The text is always valid UTF-8 without carriage returns. Finding a position takes time
/// proportional to the square root of the length, and constant time near the last edit.
public struct TextBuffer: Sendable {
    package private(set) var groups: [ChunkGroup]
    /// The length of the text in every unit.
    public private(set) var length: TextLength
    /// The chunk of the last edit. The next edit is usually in the same chunk.
    private var lastEdited: ChunkPosition

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
        self.groups = groups
        length = .zero
        for group in groups { length += group.length }
        lastEdited = ChunkPosition()
    }

    /// The end of the text, which is its length in UTF-16 code units.
    public var end: Offset { Offset(length.utf16) }

    public var isEmpty: Bool { length.utf8 == 0 }

    /// If `beforeUnit` is true, returns the chunk that contains the code unit at `offset`. If it is false,
    /// the chunk may also end at `offset`.
    ///
    /// The text must not be empty, and the offset must be in it.
    @inline(__always) func chunkPosition(of offset: Int, beforeUnit: Bool) -> ChunkPosition {
        let needed = beforeUnit ? offset + 1 : offset
        let last = lastEdited.index
        if offset >= lastEdited.start,
            needed <= lastEdited.start + groups[last.group].chunks[last.chunk].utf16Count
        {
            return lastEdited
        }
        var (group, start) = (0, 0)
        while start &+ groups[group].length.utf16 < needed {
            start &+= groups[group].length.utf16
            group += 1
        }
        let (chunk, units) = groups[group].chunk(reaching: needed - start)
        return ChunkPosition(index: ChunkIndex(group: group, chunk: chunk), start: start + units)
    }

    /// Replaces the code units in `units` by `bytes`, whose length is `inserted`.
    ///
    /// `units` must be in the text. If an end of `units` is inside a scalar, changes nothing and returns the
    /// offset of that end. Otherwise returns nil.
    // This method and the methods of groups and chunks that it calls are inlined. Without inlining, an edit
    // takes a third more time.
    @inline(__always) mutating func replace(
        _ units: Range<Int>, with bytes: UTF8Bytes, of inserted: TextLength
    ) -> Int? {
        if groups.isEmpty {
            self = TextBuffer(unchecked: bytes)
            return nil
        }
        let first = chunkPosition(of: units.lowerBound, beforeUnit: !units.isEmpty)
        let local = units.lowerBound - first.start..<units.upperBound - first.start
        let index = first.index
        switch groups[index.group].replace(local, ofChunk: index.chunk, with: bytes, of: inserted) {
        case .replaced(let growth):
            length += growth
            lastEdited = first
            return nil
        case .insideScalar(let unit): return first.start + unit
        case .unfit: break
        }
        return replaceAcrossChunks(from: first, units, with: bytes)
    }

    /// Makes new chunks from the kept start of the first chunk, `bytes`, and the kept end of the last chunk.
    private mutating func replaceAcrossChunks(
        from first: ChunkPosition, _ units: Range<Int>, with bytes: UTF8Bytes
    ) -> Int? {
        let last = chunkPosition(of: units.upperBound, beforeUnit: false)
        let (head, tail) = (chunk(at: first.index), chunk(at: last.index))
        guard let low = head.byte(at: units.lowerBound - first.start, in: .utf16) else {
            return units.lowerBound
        }
        guard let high = tail.byte(at: units.upperBound - last.start, in: .utf16) else {
            return units.upperBound
        }
        var joined: [UInt8] = []
        joined.reserveCapacity(low + bytes.count + tail.utf8Count - high)
        head.forEachPiece(of: 0..<low) { joined.append(contentsOf: $0) }
        joined.append(contentsOf: bytes)
        tail.forEachPiece(of: high..<tail.utf8Count) { joined.append(contentsOf: $0) }
        replaceChunks(from: first.index, through: last.index, with: joined)
        return nil
    }

    /// Replaces the chunks from `first` through `last` by chunks made from `bytes`.
    private mutating func replaceChunks(
        from first: ChunkIndex, through last: ChunkIndex, with bytes: [UInt8]
    ) {
        var (first, last, bytes) = (first, last, bytes)
        if bytes.count < Chunk.minimum {
            if let next = self.next(after: last) {
                chunk(at: next).forEachPiece { bytes.append(contentsOf: $0) }
                last = next
            } else if let previous = self.previous(before: first) {
                let rest = bytes
                bytes = []
                chunk(at: previous).forEachPiece { bytes.append(contentsOf: $0) }
                bytes.append(contentsOf: rest)
                first = previous
            }
        }
        var chunks: [Chunk] = []
        for index in 0..<first.chunk { chunks.append(groups[first.group].chunks[index]) }
        bytes.withUnsafeBufferPointer { Chunk.cut($0, into: &chunks) }
        let lastGroup = groups[last.group].chunks
        for index in (last.chunk + 1)..<lastGroup.count { chunks.append(lastGroup[index]) }
        replaceGroups(first.group...last.group, with: chunks)
    }

    /// Replaces the groups in `range` by groups made from `chunks`.
    private mutating func replaceGroups(_ range: ClosedRange<Int>, with chunks: [Chunk]) {
        var (end, chunks) = (range.upperBound + 1, chunks)
        if chunks.count < ChunkGroup.minimum, end < groups.count {
            for chunk in groups[end].chunks { chunks.append(chunk) }
            end += 1
        }
        var joined: [ChunkGroup] = []
        joined.reserveCapacity(groups.count + 1)
        for index in 0..<range.lowerBound { joined.append(groups[index]) }
        ChunkGroup.cut(chunks, into: &joined)
        for index in end..<groups.count { joined.append(groups[index]) }
        self = TextBuffer(groups: joined)
    }
}

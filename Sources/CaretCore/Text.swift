/// The live text of a document: UTF-8 in chunks, with every length at hand in all three units.
///
/// A value whose copies are cheap: a copy is a snapshot that readers may keep while the original goes on
/// changing; only the chunks that change are copied. It is always well-formed and has no carriage return.
/// Finding a place takes time in the root of the length, near the last edit constant time.
public struct Text: Sendable {
    package private(set) var groups: [ChunkGroup]
    /// How long the text is in every unit.
    public private(set) var length: TextLength
    /// The chunk of the last edit: the next one is usually there.
    private var recent: ChunkPlace

    public init() {
        self.init(groups: [])
    }

    /// Takes over bytes that are known to be well-formed and free of carriage returns.
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
        recent = ChunkPlace()
    }

    /// The end of the text, and its length in UTF-16 code units.
    public var end: Offset { Offset(length.utf16) }

    public var isEmpty: Bool { length.utf8 == 0 }

    /// The chunk that holds the code unit at `offset`, or, for an offset that needs none behind it, ends there.
    ///
    /// There must be a chunk, and the offset must lie in the text.
    @inline(__always) func place(of offset: Int, beforeUnit: Bool) -> ChunkPlace {
        let needed = beforeUnit ? offset + 1 : offset
        if offset >= recent.start, recent.group < groups.count,
            needed <= recent.start + groups[recent.group].chunks[recent.chunk].utf16Count
        {
            return recent
        }
        var place = ChunkPlace()
        while place.start &+ groups[place.group].length.utf16 < needed {
            place.start &+= groups[place.group].length.utf16
            place.group += 1
        }
        let (chunk, units) = groups[place.group].chunk(reaching: needed - place.start)
        place.chunk = chunk
        place.start += units
        return place
    }

    /// Puts `bytes`, whose length is `inserted`, in place of the code units from `start` to `end`.
    ///
    /// Both offsets must lie in the text and in order. The answer is nil, or, with nothing changed, the offset
    /// that lies inside a scalar.
    // This and what it calls down to the chunk is inlined: called, it costs a third more an edit.
    @inline(__always) mutating func replace(
        _ units: Range<Int>, with bytes: UTF8Bytes, of inserted: TextLength
    ) -> Int? {
        if groups.isEmpty {
            self = Text(unchecked: bytes)
            return nil
        }
        let first = place(of: units.lowerBound, beforeUnit: !units.isEmpty)
        let local = units.lowerBound - first.start..<units.upperBound - first.start
        switch groups[first.group].replace(local, ofChunk: first.chunk, with: bytes, of: inserted) {
        case .replaced(let growth):
            length += growth
            recent = first
            return nil
        case .insideScalar(let unit): return first.start + unit
        case .unfit: break
        }
        return replaceAcrossChunks(from: first, units, with: bytes)
    }

    /// Cuts new chunks from what is left of the first chunk, `bytes` and what is left of the last one.
    private mutating func replaceAcrossChunks(
        from first: ChunkPlace, _ units: Range<Int>, with bytes: UTF8Bytes
    ) -> Int? {
        let last = place(of: units.upperBound, beforeUnit: false)
        let (head, tail) = (chunk(at: first), chunk(at: last))
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
        replaceChunks(from: first, through: last, with: joined)
        return nil
    }

    /// Puts chunks cut from `bytes` in place of the chunks from `first` through `last`.
    private mutating func replaceChunks(from first: ChunkPlace, through last: ChunkPlace, with bytes: [UInt8])
    {
        var (first, last, bytes) = (first, last, bytes)
        if bytes.count < Chunk.least {
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
        let behind = groups[last.group].chunks
        for index in (last.chunk + 1)..<behind.count { chunks.append(behind[index]) }
        replaceGroups(first.group...last.group, with: chunks)
    }

    /// Puts groups cut from `chunks` in place of the groups in `range`.
    private mutating func replaceGroups(_ range: ClosedRange<Int>, with chunks: [Chunk]) {
        var (end, chunks) = (range.upperBound + 1, chunks)
        if chunks.count < ChunkGroup.least, end < groups.count {
            for chunk in groups[end].chunks { chunks.append(chunk) }
            end += 1
        }
        var joined: [ChunkGroup] = []
        joined.reserveCapacity(groups.count + 1)
        for index in 0..<range.lowerBound { joined.append(groups[index]) }
        ChunkGroup.cut(chunks, into: &joined)
        for index in end..<groups.count { joined.append(groups[index]) }
        self = Text(groups: joined)
    }
}

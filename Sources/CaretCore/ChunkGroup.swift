/// A run of neighbouring chunks with the sum of their lengths: an inner node of `Text`.
package struct ChunkGroup: Sendable {
    /// The most chunks of a group.
    package static let limit = 128
    /// The most chunks of a new group.
    static let fill = 96
    /// A group with fewer chunks is joined with its neighbour when it changes.
    static let least = 24

    package private(set) var chunks: [Chunk]
    package private(set) var length: TextLength

    init(_ chunks: [Chunk]) {
        self.chunks = chunks
        length = .zero
        for chunk in chunks { length += chunk.length }
    }

    /// The first chunk that ends at or after `units` code units, and the number of code units before it.
    func chunk(reaching units: Int) -> (chunk: Int, before: Int) {
        chunks.withUnsafeBufferPointer { chunks in
            var (index, before) = (0, 0)
            // Adds up four chunks in a step, because an edit far from the last one spends its time here.
            while index + 4 <= chunks.count {
                let four =
                    chunks[index].utf16Count &+ chunks[index + 1].utf16Count &+ chunks[index + 2].utf16Count
                    &+ chunks[index + 3].utf16Count
                if before &+ four >= units { break }
                before &+= four
                index += 4
            }
            while before &+ chunks[index].utf16Count < units {
                before &+= chunks[index].utf16Count
                index += 1
            }
            return (index, before)
        }
    }

    /// The length of the group before an offset in it; nil if the offset is inside a scalar.
    func length(before offset: Int, in unit: CodeUnit) -> TextLength? {
        chunks.withUnsafeBufferPointer { chunks in
            var (index, before) = (0, TextLength.zero)
            while (before + chunks[index].length).count(of: unit) < offset {
                before += chunks[index].length
                index += 1
            }
            guard let byte = chunks[index].byte(at: offset - before.count(of: unit), in: unit) else {
                return nil
            }
            return before + chunks[index].length(of: 0..<byte)
        }
    }

    /// Replaces the code units in `units` of one chunk by `bytes`, whose length is `inserted`.
    @inline(__always) mutating func replace(
        _ units: Range<Int>, ofChunk chunk: Int, with bytes: UTF8Bytes, of inserted: TextLength
    ) -> Chunk.Outcome {
        let outcome = chunks[chunk].replace(units: units, with: bytes, of: inserted)
        if case .replaced(let growth) = outcome { length += growth }
        return outcome
    }

    /// Appends groups of about equal size with `chunks` in order.
    static func cut(_ chunks: [Chunk], into groups: inout [ChunkGroup]) {
        if chunks.isEmpty { return }
        let pieces = chunks.count <= limit ? 1 : (chunks.count + fill - 1) / fill
        var start = 0
        for piece in 1...pieces {
            let end = chunks.count.part(piece, of: pieces)
            var part: [Chunk] = []
            part.reserveCapacity(end - start)
            for index in start..<end { part.append(chunks[index]) }
            groups.append(ChunkGroup(part))
            start = end
        }
    }
}

extension Chunk {
    /// Appends chunks of about equal size with `bytes` in order, cut at scalar boundaries.
    static func cut(_ bytes: UTF8Bytes, into chunks: inout [Chunk]) {
        if bytes.isEmpty { return }
        let pieces = max(1, bytes.count / fill)
        chunks.reserveCapacity(chunks.count + pieces)
        var start = 0
        for piece in 1...pieces {
            // A cut moves back by at most three bytes, so no piece exceeds the limit.
            let end = bytes.scalarBoundary(atOrBefore: bytes.count.part(piece, of: pieces))
            chunks.append(Chunk(UTF8Bytes(rebasing: bytes[start..<end])))
            start = end
        }
    }
}

extension Int {
    /// About `part`/`parts` of this number. The product of two lengths could overflow an Int of 32 bits.
    fileprivate func part(_ part: Int, of parts: Int) -> Int {
        part * (self / parts) + Swift.min(part, self % parts)
    }
}

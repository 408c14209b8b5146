/// A run of neighbouring chunks with the sum of their lengths: an inner node of `TextBuffer`.
package struct ChunkGroup: Sendable {
    /// The maximum number of chunks in a group.
    package static let limit = 128
    /// If a group has too many chunks, it is split into groups of at most this size.
    static let targetSize = 96
    /// A changed group with fewer chunks is joined with its neighbour.
    static let minimum = 24

    package private(set) var chunks: [Chunk]
    package private(set) var length: TextLength

    init(_ chunks: [Chunk]) {
        self.chunks = chunks
        length = .zero
        for chunk in chunks { length += chunk.length }
    }

    /// The first chunk that ends at or after the offset `units`, and the number of code units before that
    /// chunk.
    func chunk(reaching units: Int) -> (chunk: Int, before: Int) {
        chunks.withUnsafeBufferPointer { chunks in
            var (index, before) = (0, 0)
            // Adds up four chunks at a time, because an edit far from the previous edit spends most of its
            // time here.
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

    /// The length of the group's text before `offset`; nil if the offset is inside a scalar. `open` is the
    /// chunk that an empty chunk of this group stands for.
    func length(before offset: Int, in unit: CodeUnit, open: Chunk) -> TextLength? {
        chunks.withUnsafeBufferPointer { chunks in
            var before = TextLength.zero
            for index in chunks.indices {
                let chunk = chunks[index].isEmpty ? open : chunks[index]
                let after = before + chunk.length
                if after.count(of: unit) >= offset {
                    return chunk.byte(at: offset - before.count(of: unit), in: unit).map {
                        before + chunk.length(of: 0..<$0)
                    }
                }
                before = after
            }
            return before
        }
    }

    /// Puts `chunk` into the group, and sets it to the chunk that was there.
    mutating func exchange(_ chunk: inout Chunk, atChunk index: Int) {
        length += chunk.length - chunks[index].length
        swap(&chunks[index], &chunk)
    }

    /// Splits `chunks` into groups of about equal size, and appends them to `groups`.
    static func cut(_ chunks: [Chunk], into groups: inout [ChunkGroup]) {
        if chunks.isEmpty { return }
        let pieces = chunks.count <= limit ? 1 : (chunks.count + targetSize - 1) / targetSize
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
    /// Splits `bytes` at scalar boundaries into chunks of about equal size, and appends them to `chunks`.
    static func cut(_ bytes: UTF8Bytes, into chunks: inout [Chunk]) {
        if bytes.isEmpty { return }
        let pieces = max(1, bytes.count / targetSize)
        chunks.reserveCapacity(chunks.count + pieces)
        var start = 0
        for piece in 1...pieces {
            // The scalar boundary is at most three bytes before the end of an equal share. So every piece is
            // far shorter than `limit`.
            let end = bytes.scalarBoundary(atOrBefore: bytes.count.part(piece, of: pieces))
            chunks.append(Chunk(UTF8Bytes(rebasing: bytes[start..<end])))
            start = end
        }
    }
}

extension Int {
    /// About this number × `part` / `parts`. Divides first, because the product could overflow a 32-bit Int.
    fileprivate func part(_ part: Int, of parts: Int) -> Int {
        part * (self / parts) + Swift.min(part, self % parts)
    }
}

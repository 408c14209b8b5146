/// The index of a group in a text, and the index of a chunk in this group.
struct ChunkIndex: Sendable {
    var group = 0
    var chunk = 0
}

/// A chunk of a text, and the UTF-16 offset at which the chunk begins.
struct ChunkPosition: Sendable {
    var index = ChunkIndex()
    var start = 0
}

extension TextBuffer {
    /// The chunk at `index`, which may be the open chunk.
    func chunk(at index: ChunkIndex) -> Chunk {
        let chunk = tree[index.group].chunks[index.chunk]
        return chunk.isEmpty ? open : chunk
    }

    /// The length of a group with the open chunk, if that chunk belongs to the group.
    func lengthOfGroup(_ group: Int) -> TextLength {
        group == openPosition.index.group ? tree[group].length + open.length : tree[group].length
    }

    var firstChunk: ChunkIndex? { tree.isEmpty ? nil : ChunkIndex() }

    var lastChunk: ChunkIndex? {
        tree.indices.last.map { ChunkIndex(group: $0, chunk: tree[$0].chunks.count - 1) }
    }

    func next(after index: ChunkIndex) -> ChunkIndex? {
        if index.chunk + 1 < tree[index.group].chunks.count {
            return ChunkIndex(group: index.group, chunk: index.chunk + 1)
        }
        return index.group + 1 < tree.count ? ChunkIndex(group: index.group + 1, chunk: 0) : nil
    }

    func previous(before index: ChunkIndex) -> ChunkIndex? {
        var index = index
        if index.chunk == 0 {
            if index.group == 0 { return nil }
            index.group -= 1
            index.chunk = tree[index.group].chunks.count
        }
        index.chunk -= 1
        return index
    }
}

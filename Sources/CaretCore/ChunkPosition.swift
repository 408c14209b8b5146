/// The indices of a chunk in a text, and the UTF-16 offset at which the chunk begins.
struct ChunkPosition: Sendable {
    var group = 0
    var chunk = 0
    var start = 0
}

extension TextBuffer {
    func chunk(at place: ChunkPosition) -> Chunk { groups[place.group].chunks[place.chunk] }

    var firstPosition: ChunkPosition? { groups.isEmpty ? nil : ChunkPosition() }

    var lastPlace: ChunkPosition? {
        guard let group = groups.last, let chunk = group.chunks.last else { return nil }
        return ChunkPosition(
            group: groups.count - 1, chunk: group.chunks.count - 1, start: length.utf16 - chunk.utf16Count)
    }

    func next(after place: ChunkPosition) -> ChunkPosition? {
        let start = place.start + chunk(at: place).utf16Count
        if place.chunk + 1 < groups[place.group].chunks.count {
            return ChunkPosition(group: place.group, chunk: place.chunk + 1, start: start)
        }
        return place.group + 1 < groups.count
            ? ChunkPosition(group: place.group + 1, chunk: 0, start: start) : nil
    }

    func previous(before place: ChunkPosition) -> ChunkPosition? {
        var place = place
        if place.chunk == 0 {
            if place.group == 0 { return nil }
            place.group -= 1
            place.chunk = groups[place.group].chunks.count
        }
        place.chunk -= 1
        place.start -= chunk(at: place).utf16Count
        return place
    }
}

/// A chunk of a text, and the UTF-16 offset at which it begins.
struct ChunkPlace: Sendable {
    var group = 0
    var chunk = 0
    var start = 0
}

extension Text {
    func chunk(at place: ChunkPlace) -> Chunk { groups[place.group].chunks[place.chunk] }

    var firstPlace: ChunkPlace? { groups.isEmpty ? nil : ChunkPlace() }

    var lastPlace: ChunkPlace? {
        guard let group = groups.last, let chunk = group.chunks.last else { return nil }
        return ChunkPlace(
            group: groups.count - 1, chunk: group.chunks.count - 1, start: length.utf16 - chunk.utf16Count)
    }

    func next(after place: ChunkPlace) -> ChunkPlace? {
        let start = place.start + chunk(at: place).utf16Count
        if place.chunk + 1 < groups[place.group].chunks.count {
            return ChunkPlace(group: place.group, chunk: place.chunk + 1, start: start)
        }
        return place.group + 1 < groups.count
            ? ChunkPlace(group: place.group + 1, chunk: 0, start: start) : nil
    }

    func previous(before place: ChunkPlace) -> ChunkPlace? {
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

extension String {
    /// The name in the list that this one was probably meant to be; nil if none is close.
    package func closest(in names: [String]) -> String? {
        // If more than a third of the letters differ, the names are unrelated.
        let close = max(1, min(utf8.count, 24) / 3)
        return names.map { (name: $0, distance: distance(to: $0)) }
            .filter { $0.distance <= close }
            .min { $0.distance < $1.distance }?.name
    }

    /// The number of bytes to insert, remove, replace or swap with their neighbour. Only the first 64 bytes
    /// count: the names in the list are shorter, but this one may be anything.
    func distance(to other: String) -> Int {
        let from = Array(utf8.prefix(64))
        let to = Array(other.utf8.prefix(64))
        var before: [Int] = []
        var above = Array(0...to.count)
        for row in from.indices {
            var current = [row + 1]
            for column in to.indices {
                var least = min(above[column] + (from[row] == to[column] ? 0 : 1), above[column + 1] + 1)
                least = min(least, current[column] + 1)
                if row > 0, column > 0, from[row] == to[column - 1], from[row - 1] == to[column] {
                    least = min(least, before[column - 1] + 1)
                }
                current.append(least)
            }
            before = above
            above = current
        }
        return above[to.count]
    }
}

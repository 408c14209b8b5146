extension String {
    /// The name in the list that this text is probably a misspelling of; nil if no name is similar.
    package func closest(in names: [String]) -> String? {
        // If more than a third of the letters differ, the names are not similar.
        let close = max(1, min(utf8.count, 24) / 3)
        return names.map { (name: $0, distance: distance(to: $0)) }
            .filter { $0.distance <= close }
            .min { $0.distance < $1.distance }?.name
    }

    /// The number of edits from this text to `other`. An edit inserts, removes or replaces a byte, or swaps
    /// two neighbours. Only the first 64 bytes are compared, because a text from the user may have any
    /// length.
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

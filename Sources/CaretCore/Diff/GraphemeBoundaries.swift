/// The boundaries between the graphemes of a text. The text must begin and end with a boundary.
///
/// For most boundaries, the scalar before and the scalar after are enough. Other boundaries (in flags, joined
/// emoji and combining marks) depend on earlier scalars too. A run of such scalars is examined once and
/// cached. Otherwise many calls for one run would take quadratic time.
struct GraphemeBoundaries {
    private let bytes: UTF8Bytes
    /// The last run that was examined, and the boundaries in it, including its ends.
    private var run = 0..<0
    private var boundaries: [Int] = []

    init(_ bytes: UTF8Bytes) { self.bytes = bytes }

    /// The last boundary at or before the scalar boundary `index`.
    mutating func boundary(atOrBefore index: Int) -> Int {
        if isPlainBoundary(index) { return index }
        findBoundaries(around: index)
        return boundaries[boundaries.indices.partitionPoint { boundaries[$0] > index } - 1]
    }

    /// The first boundary at or after the scalar boundary `index`.
    mutating func boundary(atOrAfter index: Int) -> Int {
        if isPlainBoundary(index) { return index }
        findBoundaries(around: index)
        return boundaries[boundaries.indices.partitionPoint { boundaries[$0] >= index }]
    }

    /// Whether the two scalars beside `index` are enough to show that `index` is a boundary.
    private func isPlainBoundary(_ index: Int) -> Bool {
        if index == 0 || index == bytes.count { return true }
        if bytes[index] < 0x80 && bytes[index - 1] < 0x80 { return true }
        let before = bytes.scalar(at: bytes.scalarBoundary(atOrBefore: index - 1))
        return Unicode._CharacterRecognizer.quickBreak(between: before, and: bytes.scalar(at: index)) == true
    }

    private mutating func findBoundaries(around index: Int) {
        if run.contains(index) { return }
        var (start, end) = (index, index)
        repeat { start = bytes.scalarBoundary(atOrBefore: start - 1) } while !isPlainBoundary(start)
        repeat { end += utf8Width(ofScalarWithLead: bytes[end]) } while !isPlainBoundary(end)
        run = start..<end
        boundaries = [start]
        var recognizer = Unicode._CharacterRecognizer()
        _ = recognizer.hasBreak(before: bytes.scalar(at: start))
        var next = start + utf8Width(ofScalarWithLead: bytes[start])
        while next < end {
            if recognizer.hasBreak(before: bytes.scalar(at: next)) { boundaries.append(next) }
            next += utf8Width(ofScalarWithLead: bytes[next])
        }
        boundaries.append(end)
    }
}

extension TextBuffer: Equatable {
    /// Compares bytes. Two encodings of the same letter, such as a composed and a decomposed é, are not
    /// equal.
    public static func == (left: TextBuffer, right: TextBuffer) -> Bool {
        left.length == right.length && left.commonPrefixLength(with: right) == left.length.utf8
    }
}

extension TextBuffer {
    /// Calls `body` with the UTF-8 of the text, piece by piece and in order. Each piece begins and ends at a
    /// scalar boundary.
    public func forEachPiece(_ body: (UnsafeBufferPointer<UInt8>) -> Void) {
        for group in tree.indices {
            for chunk in tree[group].chunks.indices {
                self.chunk(at: ChunkIndex(group: group, chunk: chunk)).forEachPiece(body)
            }
        }
    }

    /// The whole text.
    public var string: String { bytes(in: 0..<length.utf8).withUnsafeBufferPointer { $0.string } }

    /// The text between two offsets.
    public func slice(_ range: Range<Offset>) throws(TextError) -> String {
        let low = try convert(range.lowerBound, to: UTF8Unit.self)
        let high = try convert(range.upperBound, to: UTF8Unit.self)
        return bytes(in: low.value..<high.value).withUnsafeBufferPointer { $0.string }
    }

    /// The text between two offsets, and the offset where it begins. An offset beyond the end means the end, and an
    /// offset inside a scalar moves to its beginning. If `end` is before `start`, the part is empty. A part of more than
    /// `most` bytes is shortened.
    package func part(
        from start: Int, to end: Int, in unit: CodeUnit, atMost most: Int
    ) -> (start: Int, text: String) {
        let low = lengthOfScalars(before: start, in: unit)
        let high = lengthOfScalars(before: max(start, end), in: unit)
        let longest = lengthOfScalars(before: low.utf8 + most, in: .utf8)
        let bytes = bytes(in: low.utf8..<min(high.utf8, longest.utf8))
        return (low.count(of: unit), bytes.withUnsafeBufferPointer { $0.string })
    }

    /// The length of the whole scalars before an offset.
    private func lengthOfScalars(before offset: Int, in unit: CodeUnit) -> TextLength {
        var offset = min(max(offset, 0), length.count(of: unit))
        while true {
            // Zero is never inside a scalar.
            if let before = try? length(before: offset, in: unit) { return before }
            offset -= 1
        }
    }

    /// A copy of the UTF-8 in `range`, which must be in the text. The ends of the range may be inside
    /// scalars.
    package func bytes(in range: Range<Int>) -> [UInt8] {
        var copy: [UInt8] = []
        copy.reserveCapacity(range.count)
        var start = 0
        for group in tree.indices {
            if start >= range.upperBound { break }
            let end = start + lengthOfGroup(group).utf8
            if end <= range.lowerBound {
                start = end
                continue
            }
            for chunk in tree[group].chunks.indices {
                let chunk = self.chunk(at: ChunkIndex(group: group, chunk: chunk))
                let low = max(range.lowerBound - start, 0)
                let high = min(range.upperBound - start, chunk.utf8Count)
                if low < high { chunk.forEachPiece(of: low..<high) { copy.append(contentsOf: $0) } }
                start += chunk.utf8Count
            }
        }
        return copy
    }

    /// Converts an offset to another unit, for the same position.
    public func convert<Source: TextUnit, Target: TextUnit>(
        _ offset: UnitOffset<Source>, to unit: Target.Type
    ) throws(TextError) -> UnitOffset<Target> {
        UnitOffset(try length(before: offset.value, in: Source.unit).count(of: Target.unit))
    }

    /// Whether the offset is in the text and not inside a scalar.
    public func isScalarBoundary<Unit: TextUnit>(_ offset: UnitOffset<Unit>) -> Bool {
        // If each scalar is one unit, as in texts without emoji, no offset is inside a scalar.
        let end = length.count(of: Unit.unit)
        if end == length.scalars { return offset.value >= 0 && offset.value <= end }
        // The caller does not need to know why the offset is wrong.
        return (try? length(before: offset.value, in: Unit.unit)) != nil
    }

    /// The length of the text before an offset.
    func length(before offset: Int, in unit: CodeUnit) throws(TextError) -> TextLength {
        let end = length.count(of: unit)
        if offset < 0 || offset > end { throw .outside(offset: offset, end: end) }
        var before = TextLength.zero
        for group in tree.indices {
            let after = before + lengthOfGroup(group)
            if after.count(of: unit) < offset {
                before = after
                continue
            }
            let rest = offset - before.count(of: unit)
            guard let inGroup = tree[group].length(before: rest, in: unit, open: open) else {
                throw .insideScalar(offset: offset)
            }
            return before + inGroup
        }
        return before
    }
}

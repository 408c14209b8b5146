import CaretCore

/// Presence lines in one buffer, for all sessions that lack the same presence. Sending the buffer costs about
/// as much as sending one line.
struct PresenceBatch: Sendable {
    private struct Part: Sendable {
        /// The moment of the presence event.
        let moment: Int
        let range: Range<Int>
    }

    private(set) var lines: [UInt8] = []
    /// In ascending order of their moments.
    private var parts: [Part] = []

    /// Adds the line of an event. Its moment must be after all moments in the batch.
    mutating func append(_ line: [UInt8], at moment: Int) {
        let start = lines.count
        lines += line
        parts.append(Part(moment: moment, range: start..<lines.count))
    }

    /// The lines without that of the event at this moment. A session does not get its own selections.
    func lines(without moment: Int) -> [UInt8] {
        let index = parts.indices.partitionPoint { parts[$0].moment >= moment }
        guard index < parts.count, parts[index].moment == moment else { return lines }
        var others: [UInt8] = []
        others.reserveCapacity(lines.count - parts[index].range.count)
        others += lines[..<parts[index].range.lowerBound]
        others += lines[parts[index].range.upperBound...]
        return others
    }
}

/// The batches of a fan-out that many sessions need.
struct SharedBatches: Sendable {
    /// For sessions that were sent all presence up to the last fan-out.
    private var recent = PerUnit<PresenceBatch>()
    /// For sessions that have a new text, so they lack all selections. They know the same peers as the others.
    private var whole = PerUnit<PresenceBatch>()

    subscript(unit: CodeUnit, isWhole isWhole: Bool) -> PresenceBatch? {
        get { isWhole ? whole[unit] : recent[unit] }
        set { if isWhole { whole[unit] = newValue } else { recent[unit] = newValue } }
    }
}

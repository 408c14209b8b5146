import CaretCore
import CaretFormat
import CaretLog

/// An append that fits the document's row, encoded for the statement that commits it.
struct PreparedAppend {
    /// The document's row as it is after the append.
    let row: DocumentRow
    let expected: Revision
    let segment: EncodedSegment
    /// The size of the changes.
    let weight: Int
    /// The document's new line break; nil keeps the old one.
    let lineBreak: LineBreak?
    /// The last push of each pusher, with the number of its author.
    let pushes: [(author: Int64, entry: PusherEntry)]

    /// `old` is the row at the expected head. `numbers` has the number of each pusher. `columns` is only memory to
    /// reuse. Nil if a change does not fit the text, or one of its numbers is too large to be stored.
    init?(
        _ append: Append, after old: DocumentRow, authors numbers: [Pusher: Int64],
        in columns: inout SegmentColumns
    ) {
        guard let length = old.entry.length(after: append.changes) else { return nil }
        let authors = append.changes.compactMap { numbers[$0.logged.pusher] }
        precondition(authors.count == append.changes.count, "an author was not loaded")
        let segment = Segment(first: append.expected.next, changes: append.changes.map(\.logged))
        self.segment = EncodedSegment(
            segment, after: old.chain, packing: .plain, authors: authors, in: &columns)
        var row = old
        row.entry.head = segment.last
        row.entry.length = length
        row.entry.updated = segment.changes.last?.time ?? old.entry.updated
        if let lineBreak = append.lineBreak { row.entry.lineBreak = lineBreak }
        row.chain = self.segment.after
        self.row = row
        expected = append.expected
        weight = segment.changes.reduce(0) { $0 + $1.weight }
        lineBreak = append.lineBreak
        pushes = PreparedAppend.newest(append.changes, by: authors, from: segment.first)
    }

    private static func newest(
        _ changes: [PushedChange], by authors: [Int64], from first: Revision
    ) -> [(author: Int64, entry: PusherEntry)] {
        var highest: [Int64: Int] = [:]
        for (index, author) in authors.enumerated() { highest[author] = index }
        return changes.indices.filter { highest[authors[$0]] == $0 }.map { index in
            let (logged, digest) = (changes[index].logged, changes[index].digest)
            let revision = Revision(first.value + index)
            return (
                authors[index],
                PusherEntry(seq: logged.seq, revision: revision, digest: digest, used: logged.time)
            )
        }
    }
}

import CaretCore
import CaretLog

/// Applies the segments after a snapshot to the snapshot's text.
struct Replay {
    private(set) var checked: HistoryReader.CheckedText

    init(_ start: HistoryReader.CheckedText) { checked = start }

    /// Applies the changes of a sound segment from the text's revision up to revision `end`.
    mutating func apply(_ stored: StoredSegment, through end: Revision) throws(StoreFault) {
        let (segment, at) = (stored.segment, checked.snapshot.revision)
        guard segment.first <= at.next, at <= end else { throw .damaged }
        let known = segment.changes.prefix(at.value + 1 - segment.first.value)
        let new = segment.changes[known.endIndex...].prefix(end.value - at.value)
        let start = stored.before.extended(by: known, from: segment.first)
        // At this revision, the chain value of the history must equal the chain value of the text.
        guard start == checked.chain else { throw .damaged }
        var text = checked.snapshot.text
        for change in new {
            // If a change does not fit the text, the history is damaged.
            guard let change = try? change.change, (try? text.apply(change)) != nil else { throw .damaged }
        }
        checked.snapshot = Snapshot(revision: Revision(at.value + new.count), text: text)
        checked.chain =
            new.endIndex == segment.changes.endIndex ? stored.after : start.extended(by: new, from: at.next)
    }
}

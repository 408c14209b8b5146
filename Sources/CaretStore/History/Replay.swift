import CaretCore
import CaretLog

/// Replays the segments after a snapshot on its text.
struct Replay {
    private(set) var checked: HistoryReader.Checked

    init(_ start: HistoryReader.Checked) { checked = start }

    /// Applies the changes of a sound segment that are after the text's revision and not after `end`.
    mutating func apply(_ stored: StoredSegment, through end: Revision) throws(StoreFault) {
        let (segment, at) = (stored.segment, checked.snapshot.revision)
        guard segment.first <= at.next, at <= end else { throw .damaged }
        let known = segment.changes.prefix(at.value + 1 - segment.first.value)
        let new = segment.changes[known.endIndex...].prefix(end.value - at.value)
        let start = stored.before.extended(by: known, from: segment.first)
        // The chain of the history at this revision must be that of the text.
        guard start == checked.chain else { throw .damaged }
        var text = checked.snapshot.text
        for change in new {
            // A change that does not fit the text is damage, whatever the reason.
            guard let change = try? change.change, (try? text.apply(change)) != nil else { throw .damaged }
        }
        checked.snapshot = Snapshot(revision: Revision(at.value + new.count), text: text)
        checked.chain =
            new.endIndex == segment.changes.endIndex ? stored.after : start.extended(by: new, from: at.next)
    }
}

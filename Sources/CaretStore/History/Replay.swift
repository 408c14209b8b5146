import CaretCore
import CaretLog

/// A text on its way through the segments behind a snapshot.
struct Replay {
    private(set) var checked: HistoryReader.Checked

    init(_ start: HistoryReader.Checked) { checked = start }

    /// Takes in what a sound segment has behind the text's revision, but nothing behind `end`.
    mutating func take(_ stored: StoredSegment, through end: Revision) throws(StoreFault) {
        let (segment, at) = (stored.segment, checked.snapshot.revision)
        guard segment.first <= at.next, at <= end else { throw .damaged }
        let known = segment.changes.prefix(at.value + 1 - segment.first.value)
        let new = segment.changes[known.endIndex...].prefix(end.value - at.value)
        let start = stored.before.extended(by: known, from: segment.first)
        // The text must stand where the history has its chain value.
        guard start == checked.chain else { throw .damaged }
        var text = checked.snapshot.text
        for change in new {
            // A change that does not fit its text is damage, whatever it is that does not.
            guard let change = try? change.change, (try? text.apply(change)) != nil else { throw .damaged }
        }
        checked.snapshot = Snapshot(revision: Revision(at.value + new.count), text: text)
        checked.chain =
            new.endIndex == segment.changes.endIndex ? stored.after : start.extended(by: new, from: at.next)
    }
}

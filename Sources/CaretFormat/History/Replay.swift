package import CaretCore
import CaretLog

/// Applies the segments after a snapshot to the snapshot's text. Throws `Fault.damaged` if they do not fit.
package struct Replay<Fault: DamageFault> {
    package private(set) var checked: CheckedText

    package init(_ start: CheckedText) { checked = start }

    /// Applies the changes of a sound segment from the text's revision up to revision `end`.
    package mutating func apply(_ stored: StoredSegment, through end: Revision) throws(Fault) {
        let (at, new) = (checked.snapshot.revision, try changes(of: stored, through: end))
        let start = try chainAtText(stored, before: new)
        checked.snapshot = Snapshot(
            revision: Revision(at.value + new.count), text: try Self.text(after: new, from: checked))
        checked.chain =
            new.endIndex == stored.segment.changes.endIndex
            ? stored.after : start.extended(by: new, from: at.next)
    }

    /// The text at revision `end`, which is inside a sound segment. Without the chain at that revision, so
    /// nothing can be applied after it.
    package func text(after stored: StoredSegment, at end: Revision) throws(Fault) -> TextBuffer {
        let new = try changes(of: stored, through: end)
        _ = try chainAtText(stored, before: new)
        return try Self.text(after: new, from: checked)
    }

    /// The changes of a segment after the text's revision, up to revision `end`.
    private func changes(
        of stored: StoredSegment, through end: Revision
    ) throws(Fault) -> ArraySlice<LoggedChange> {
        let (segment, at) = (stored.segment, checked.snapshot.revision)
        guard segment.first <= at.next, at <= end else { throw Fault.damaged }
        return segment.changes.dropFirst(at.value + 1 - segment.first.value).prefix(end.value - at.value)
    }

    /// The chain value of the history at the text's revision, which must equal the chain value of the text.
    private func chainAtText(
        _ stored: StoredSegment, before new: ArraySlice<LoggedChange>
    ) throws(Fault) -> Chain {
        let known = stored.segment.changes[..<new.startIndex]
        let start = stored.before.extended(by: known, from: stored.segment.first)
        guard start == checked.chain else { throw Fault.damaged }
        return start
    }

    private static func text(
        after changes: ArraySlice<LoggedChange>, from checked: CheckedText
    ) throws(Fault) -> TextBuffer {
        var text = checked.snapshot.text
        for change in changes {
            do {
                try text.apply(change)
            } catch {
                // A change that does not fit the text shows that the history is damaged.
                throw Fault.damaged
            }
        }
        return text
    }
}

extension TextBuffer {
    fileprivate mutating func apply(_ logged: LoggedChange) throws {
        // Nearly all changes have one edit. Making a change of it would take as long as applying it.
        if logged.edits.count == 1 { return try apply(logged.edits[0].edit) }
        try apply(try logged.change)
    }
}

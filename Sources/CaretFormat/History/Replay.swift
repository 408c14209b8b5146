package import CaretCore
import CaretLog

/// Applies the segments after a snapshot to the snapshot's text. Throws `Fault.damaged` if they do not fit.
package struct Replay<Fault: DamageFault> {
    package private(set) var checked: CheckedText

    package init(_ start: CheckedText) { checked = start }

    /// Applies the changes of a sound segment from the text's revision up to revision `end`.
    package mutating func apply(_ stored: StoredSegment, through end: Revision) throws(Fault) {
        let new = try changes(of: stored, through: end)
        checked = CheckedText(
            snapshot: Snapshot(
                revision: Revision(checked.snapshot.revision.value + new.count),
                text: try Self.text(after: new, from: checked)),
            chain: stored.chain(after: new, from: checked.chain))
    }

    /// The text at revision `end`, which is inside a sound segment. Without the chain at that revision, so
    /// nothing can be applied after it.
    package func text(after stored: StoredSegment, at end: Revision) throws(Fault) -> TextBuffer {
        try Self.text(after: try changes(of: stored, through: end), from: checked)
    }

    private func changes(
        of stored: StoredSegment, through end: Revision
    ) throws(Fault) -> ArraySlice<LoggedChange> {
        guard let new = stored.changes(after: checked.snapshot.revision, checked.chain, through: end) else {
            throw Fault.damaged
        }
        return new
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

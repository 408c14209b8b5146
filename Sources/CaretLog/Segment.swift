package import CaretCore

/// Successive revisions of one document.
package struct Segment: Equatable, Sendable {
    /// The revision of the first change.
    package let first: Revision
    package let changes: [LoggedChange]

    package init(first: Revision, changes: [LoggedChange]) {
        self.first = first
        self.changes = changes
    }

    /// The revision of the last change.
    package var last: Revision { Revision(first.value + changes.count - 1) }
}

/// The text at one revision.
package struct Snapshot: Equatable, Sendable {
    package let revision: Revision
    package let text: TextBuffer

    package init(revision: Revision, text: TextBuffer) {
        self.revision = revision
        self.text = text
    }
}

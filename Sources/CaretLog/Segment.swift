package import CaretCore

/// Successive revisions of one document.
package struct Segment: Equatable, Sendable {
    /// The revision that the first change made.
    package let first: Revision
    package let changes: [LoggedChange]

    package init(first: Revision, changes: [LoggedChange]) {
        self.first = first
        self.changes = changes
    }

    /// The revision that the last change made.
    package var last: Revision { Revision(first.value + changes.count - 1) }
}

/// A text at one revision.
package struct Snapshot: Equatable, Sendable {
    package let revision: Revision
    package let text: Text

    package init(revision: Revision, text: Text) {
        self.revision = revision
        self.text = text
    }
}

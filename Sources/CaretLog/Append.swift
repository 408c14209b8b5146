package import CaretCore

/// The line breaks of a document when it is written back to a file. Inside Caret a line break is LF.
package enum LineBreak: Sendable {
    case lf
    case crlf
}

/// Changes to be committed to one document after the head that they were rebased to.
package struct Append: Equatable, Sendable {
    package let document: DocumentID
    package let epoch: Epoch
    /// The head that this append expects. Its changes become the revisions after it.
    package let expected: Revision
    package let changes: [PushedChange]
    /// The line break that the document has from now on; nil leaves it as it is.
    package let lineBreak: LineBreak?

    package init(
        document: DocumentID, epoch: Epoch, expected: Revision, changes: [PushedChange],
        lineBreak: LineBreak? = nil
    ) {
        self.document = document
        self.epoch = epoch
        self.expected = expected
        self.changes = changes
        self.lineBreak = lineBreak
    }
}

/// The result of an append. The store appends all of it or nothing.
package enum AppendOutcome: Equatable, Sendable {
    /// All changes are on disk, synced. The head is now this revision.
    case committed(head: Revision)
    /// Nothing was appended, because this is the head: another append came first.
    case conflict(head: Revision)
    /// Nothing was appended: the document does not exist, or has another epoch.
    case gone
    /// Nothing was appended: a change does not fit the text, or one of its numbers is too large to be stored.
    case unfit
    /// Nothing was appended: the disk is full. The caller may try again.
    case full
    /// Nothing was appended: the document is damaged.
    case damaged
    /// Nothing was appended, and nothing more will be: the disk failed.
    case failed
    /// The outcome is unknown. The caller must read the head again.
    case unknown
}

package import CaretCore

/// The line breaks of a document when it is written to a file. Inside Caret, every line break is LF.
package enum LineBreak: Sendable {
    case lf
    case crlf
}

/// Changes to commit to one document, directly after the head that they were rebased to.
package struct Append: Equatable, Sendable {
    package let document: DocumentID
    package let epoch: Epoch
    /// The head that this append expects. The changes become the revisions after this head.
    package let expected: Revision
    package let changes: [PushedChange]
    /// The document's new line break; nil keeps the old one.
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

/// The result of an append. The store appends all changes or none of them.
package enum AppendOutcome: Equatable, Sendable {
    /// All changes are on disk, synced. The head is now this revision.
    case committed(head: Revision)
    /// Nothing was appended: another append came first. The head is now this revision.
    case conflict(head: Revision)
    /// Nothing was appended: the document does not exist, or has another epoch.
    case documentGone
    /// Nothing was appended: a change does not fit the text, or one of its numbers is too large to be stored.
    case invalidChange
    /// Nothing was appended: the disk is full. The caller may try again.
    case diskFull
    /// Nothing was appended: the document is damaged.
    case documentDamaged
    /// Nothing was appended: the disk failed. The store accepts no more appends.
    case diskFailed
    /// Nothing was appended: the store cannot be reached now. The caller may try again.
    case away
    /// The outcome is unknown. The caller must read the head again.
    case unknown
}

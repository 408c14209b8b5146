package import CaretCore

/// How a document's lines end in the files that it is written back to. Inside, a line break is LF.
package enum LineBreak: Sendable {
    case lf
    case crlf
}

/// Changes to be committed to one document behind the revision that they were rebased to.
package struct Append: Equatable, Sendable {
    package let document: DocumentID
    package let epoch: Epoch
    /// The head that this append expects; its changes become the revisions behind it.
    package let expected: Revision
    package let changes: [PushedChange]
    /// The line break that the document has from now on; nil leaves it.
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

/// What came of an append. Whatever it is, the store never takes a part of it.
package enum AppendOutcome: Equatable, Sendable {
    /// All of it is on disk, synced; the head is now this revision.
    case committed(head: Revision)
    /// Nothing was appended: somebody else was first, and this is the head.
    case conflict(head: Revision)
    /// Nothing was appended: there is no such document, or its epoch is another.
    case gone
    /// Nothing was appended: a change does not fit the document, or a number in it is beyond what is stored.
    case unfit
    /// Nothing was appended: the disk is full. It may be tried again.
    case full
    /// Nothing was appended: the document is damaged.
    case damaged
    /// Nothing was appended, and nothing more will be: the disk failed.
    case failed
    /// It may or may not be on disk: read the head again.
    case unknown
}

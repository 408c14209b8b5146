package import CaretCore

/// What the store knows of a document without reading its history.
package struct DocumentEntry: Equatable, Sendable {
    package let id: DocumentID
    package var name: DocumentName
    package var epoch: Epoch
    package var head: Revision
    /// The oldest revision whose text is kept. Older history was trimmed.
    package var start: Revision
    package var length: TextLength
    /// When the document was created or last changed, in milliseconds.
    package var updated: Int64
    package var lineBreak: LineBreak
    /// When the document was deleted, in milliseconds; nil if it is not deleted.
    package var deleted: Int64?

    package init(
        id: DocumentID, name: DocumentName, epoch: Epoch, head: Revision, start: Revision, length: TextLength,
        updated: Int64, lineBreak: LineBreak, deleted: Int64? = nil
    ) {
        self.id = id
        self.name = name
        self.epoch = epoch
        self.head = head
        self.start = start
        self.length = length
        self.updated = updated
        self.lineBreak = lineBreak
        self.deleted = deleted
    }
}

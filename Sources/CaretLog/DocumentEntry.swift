package import CaretCore

/// What the store knows of a document without reading it.
package struct DocumentEntry: Equatable, Sendable {
    package let id: DocumentID
    package let name: DocumentName
    package let epoch: Epoch
    package let head: Revision
    /// The first revision whose text is kept: below it history was trimmed.
    package let start: Revision
    package let length: TextLength
    /// When it was created or last changed, in milliseconds.
    package let updated: Int64
    package let lineBreak: LineBreak

    package init(
        id: DocumentID, name: DocumentName, epoch: Epoch, head: Revision, start: Revision, length: TextLength,
        updated: Int64, lineBreak: LineBreak
    ) {
        self.id = id
        self.name = name
        self.epoch = epoch
        self.head = head
        self.start = start
        self.length = length
        self.updated = updated
        self.lineBreak = lineBreak
    }
}

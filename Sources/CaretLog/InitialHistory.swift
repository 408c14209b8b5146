import CaretCore

/// What a new document begins with. The store commits it together with the document.
package struct InitialHistory: Equatable, Sendable {
    /// The first revisions. There may be none.
    package let changes: [PushedChange]
    /// The document's line break; nil for the one of a new document.
    package let lineBreak: LineBreak?
    package let tags: [Tag]
    package let notes: CopiedNotes

    package init(
        _ changes: [PushedChange], lineBreak: LineBreak? = nil, tags: [Tag] = [],
        notes: CopiedNotes = CopiedNotes()
    ) {
        (self.changes, self.lineBreak, self.tags, self.notes) = (changes, lineBreak, tags, notes)
    }

    /// The append of the first revisions to the empty document of an entry.
    package func append(to entry: DocumentEntry) -> Append {
        Append(document: entry.id, epoch: entry.epoch, expected: 0, changes: changes, lineBreak: lineBreak)
    }
}

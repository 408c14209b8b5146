import CaretCore

/// The notes of a copy, with the numbers that they have in the original.
package struct CopiedNotes: Equatable, Sendable {
    package let notes: [Note]
    package let notebook: Notebook

    package init(_ notes: [Note] = [], counter: Int64 = 0) {
        self.notes = notes
        notebook = Notebook(
            counter: counter, last: notes.map(\.number.value).max() ?? 0, removed: 0, notes: notes.count,
            bytes: notes.reduce(0) { $0 + $1.weight })
    }
}

extension Note {
    /// Returns the note for a copy of its document. `head` is the newest revision of the copy. An accepted or rejected note
    /// has no place in the copy.
    func copied(to head: Revision) -> Note {
        var copy = self
        copy.content.request = ""
        copy.content.place = movingPlace.map { NotePlace(at: head, $0.words, suggesting: $0.suggestion) }
        return copy
    }
}

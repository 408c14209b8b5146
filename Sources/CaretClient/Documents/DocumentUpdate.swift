public import CaretCore
public import CaretReplica

/// What has happened to an open document.
public enum DocumentUpdate: Equatable, Sendable {
    /// The text was changed by another client, or by an undo, redo or discard. The change applies to the
    /// previous text. `selections` are the user's own selections after the change. If the reader was too
    /// slow, one empty change replaces all waiting changes: read `LiveDocument.text` then.
    case edited(Change, selections: [Selection])
    /// All other sessions that have the document open, with their selections.
    case peers([DocumentPeer])
    case state(SavingState)
    /// The document was renamed; this is the new name.
    case renamed(String)
    /// Unsaved edits could not be written to the folder of the client, so they would not survive the end of
    /// the program.
    case notKept(UnsavedEditsFault)
    /// Unsaved edits can be written to the folder again.
    case kept
}

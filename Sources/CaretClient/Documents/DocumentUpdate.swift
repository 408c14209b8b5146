public import CaretCore
public import CaretReplica

/// What has happened to an open document.
public enum DocumentUpdate: Equatable, Sendable {
    /// Others, or an undo or redo, have changed the text. The change fits the text before it. `selections` are the
    /// user's own selections after it. If the reader was too slow to get each change, the change is empty: read
    /// `LiveDocument.text` instead.
    case edited(Change, selections: [Selection])
    /// All other sessions that have the document open, with their selections.
    case peers([DocumentPeer])
    case state(SavingState)
    /// The document has this name now.
    case renamed(String)
    /// Unsaved edits could not be written to the folder of the client, so they would not survive the end of the
    /// program.
    case notKept(UnsavedEditsFault)
}

public import CaretCore
public import CaretReplica

/// What has happened to an open document.
public enum DocumentUpdate: Equatable, Sendable {
    /// The text was changed by others, or by an undo or redo: this is the change, as made in the text that was there,
    /// and where one's own selections are after it. The change is empty where too many wait that nobody has taken.
    case edited(Change, selections: [Selection])
    /// All others who have the document open, and where they stand.
    case peers([DocumentPeer])
    case state(SavingState)
    case renamed(String)
    /// What is unsaved could not be kept in the folder of the client, and would not outlive the program.
    case notKept(KeepingFault)
}

/// Whether a document is opened for editing or only for reading.
public enum DocumentMode: Equatable, Sendable {
    case edit
    /// Read only: the client pushes nothing, and the server may merge several revisions into one change.
    case watch
}

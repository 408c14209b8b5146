/// Whether a document is opened to edit it or only to read along.
public enum DocumentMode: Equatable, Sendable {
    case edit
    /// Read only: the client pushes nothing, and the server may merge several revisions into one change.
    case watch
}

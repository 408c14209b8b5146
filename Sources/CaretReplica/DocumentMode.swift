/// What a document is opened for.
public enum DocumentMode: Equatable, Sendable {
    case edit
    /// Only to see it: nothing is pushed, and the server may join several revisions into one change.
    case watch
}

/// What a person is told about their text.
public enum SavingState: Equatable, Sendable {
    /// All of it is committed.
    case saved
    /// Some of it is on its way.
    case sending
    /// The text is not here yet. What is typed meanwhile is kept, and goes in front of it.
    case opening
    /// The text is here, and the document is not open on the server. What is typed is kept.
    case offline
    /// Some of it will not be saved as things are. It is kept.
    case refused(Refusal)
}

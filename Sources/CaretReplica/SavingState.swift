/// Whether the text that a user sees is saved on the server.
public enum SavingState: Equatable, Sendable {
    /// The server has committed all of it.
    case saved
    /// Some edits were sent or are about to be sent.
    case sending
    /// The text has not arrived from the server yet. Edits made meanwhile are kept and go after the text.
    case opening
    /// The text is here, but the document is not open on the server. Edits are kept until it is.
    case offline
    /// The server refused some edits, or refused to open the document. The edits are kept, but not saved.
    case refused(Refusal)
}

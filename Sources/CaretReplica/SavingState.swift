/// Whether the text that a user sees is saved on the server.
public enum SavingState: Equatable, Sendable {
    /// The server has committed the whole text.
    case saved
    /// Some edits were sent or are about to be sent.
    case sending
    /// The text has not arrived from the server yet. Edits made meanwhile are kept, and their text goes after
    /// the server's text.
    case opening
    /// The client has a text, but the document is not open on the server. Edits are kept until the document
    /// is open.
    case offline
    /// The server refused some edits, or refused to open the document. The edits are kept, but not saved.
    case refused(Refusal)
}

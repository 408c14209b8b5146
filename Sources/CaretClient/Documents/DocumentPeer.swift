public import CaretCore
package import CaretWire

/// Another session that has the document open, and its selections.
public struct DocumentPeer: Equatable, Sendable {
    /// The id of the session.
    public let session: String
    /// The name of the user, as the server knows it.
    public let user: String
    /// The public id of the client.
    public let client: String
    /// What the client says about its user.
    public let person: PersonInfo?
    public let selections: [Selection]

    package init(session: String, _ introduction: Introduction, selections: [Selection]) {
        self.session = session
        user = introduction.user.string
        client = introduction.client.string
        person = PersonInfo(introduction.info)
        self.selections = selections
    }
}

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
    /// The name and color of the user.
    public let person: PersonInfo?
    /// Whether the name and color come from the token of the user. If not, the client may say anything.
    public let isVerified: Bool
    public let selections: [Selection]

    package init(session: String, _ introduction: Introduction, selections: [Selection]) {
        self.session = session
        user = introduction.user.string
        client = introduction.client.string
        person = PersonInfo(introduction.info)
        isVerified = introduction.info?.flag("verified") ?? false
        self.selections = selections
    }
}

public import CaretCore
package import CaretWire

/// Somebody else who has the document open, and where they stand in it.
public struct DocumentPeer: Equatable, Sendable {
    /// Names this one presence.
    public let session: String
    public let user: String
    /// The public id of the client.
    public let client: String
    public let person: Person?
    public let selections: [Selection]

    package init(session: String, _ introduction: Introduction, selections: [Selection]) {
        self.session = session
        user = introduction.user.string
        client = introduction.client.string
        person = Person(introduction.info)
        self.selections = selections
    }
}

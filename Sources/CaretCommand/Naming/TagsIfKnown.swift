import CaretClient
import CaretWire

extension LiveClient {
    /// The named revisions of a document. None if the server is older than names.
    func tagsIfKnown(of document: String) async throws -> [NamedRevision] {
        do {
            return try await tags(of: document)
        } catch let refusal as ServerRefusal where refusal.code == .unknownType {
            return []
        }
    }
}

import CaretClient
import CaretWire

extension LiveClient {
    /// All documents whose names begin so, in the order of their names.
    func documents(under prefix: String) async throws -> [DocumentList.Entry] {
        var entries: [DocumentList.Entry] = []
        while true {
            let page = try await list(prefix: prefix, after: entries.last?.name, limit: 1_000)
            entries += page.documents
            if !page.hasMore || page.documents.isEmpty { return entries }
        }
    }

    /// All deleted documents whose names begin so, in the order of their numbers.
    func deletedDocuments(under prefix: String) async throws -> [DeletedDocumentList.Entry] {
        var entries: [DeletedDocumentList.Entry] = []
        while true {
            let page = try await deletedDocuments(prefix: prefix, after: entries.last?.number, limit: 1_000)
            entries += page.documents
            if !page.hasMore || page.documents.isEmpty { return entries }
        }
    }

    /// All connections, in the order of their numbers.
    func allConnections() async throws -> [ConnectionList.Entry] {
        var entries: [ConnectionList.Entry] = []
        while true {
            let page = try await connections(after: entries.last?.number, limit: 1_000)
            entries += page.connections
            if !page.hasMore || page.connections.isEmpty { return entries }
        }
    }

    /// The text of a document; nil where there is none, or no more.
    func versionIfThere(_ document: String) async throws -> DocumentVersion? {
        do {
            return try await read(document)
        } catch let refusal as ServerRefusal where refusal.code == .notFound {
            return nil
        }
    }

    /// What the server tells of one document without its text.
    func entry(of document: String) async throws -> DocumentList.Entry {
        // No name that begins with this one comes before it.
        let first = try await list(prefix: document, limit: 1).documents.first
        if let first, first.name.utf8.elementsEqual(document.utf8) { return first }
        throw Failure(
            "there is no document \(document.harmless)",
            advice: "caret ls lists what there is and you may read")
    }
}

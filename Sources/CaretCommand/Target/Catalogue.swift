import CaretClient
import CaretWire

extension LiveClient {
    /// All documents whose names begin with `prefix`, sorted by name.
    func documents(under prefix: String) async throws -> [DocumentList.Entry] {
        var entries: [DocumentList.Entry] = []
        while true {
            let page = try await list(prefix: prefix, after: entries.last?.name, limit: 1_000)
            entries += page.documents
            if !page.hasMore || page.documents.isEmpty { return entries }
        }
    }

    /// All deleted documents whose names begin with `prefix`, sorted by number.
    func deletedDocuments(under prefix: String) async throws -> [DeletedDocumentList.Entry] {
        var entries: [DeletedDocumentList.Entry] = []
        while true {
            let page = try await deletedDocuments(prefix: prefix, after: entries.last?.number, limit: 1_000)
            entries += page.documents
            if !page.hasMore || page.documents.isEmpty { return entries }
        }
    }

    /// All connections, sorted by number.
    func allConnections() async throws -> [ConnectionList.Entry] {
        var entries: [ConnectionList.Entry] = []
        while true {
            let page = try await connections(after: entries.last?.number, limit: 1_000)
            entries += page.connections
            if !page.hasMore || page.connections.isEmpty { return entries }
        }
    }

    /// The newest text of a document; nil if there is no such document.
    func versionIfThere(_ document: String) async throws -> DocumentVersion? {
        do {
            return try await read(document)
        } catch let refusal as ServerRefusal where refusal.code == .notFound {
            return nil
        }
    }

    /// The entry of one document in the list, without its text.
    func entry(of document: String) async throws -> DocumentList.Entry {
        // This name sorts before all longer names that begin with it.
        let first = try await list(prefix: document, limit: 1).documents.first
        if let first, first.name.utf8.elementsEqual(document.utf8) { return first }
        throw Failure(
            "there is no document \(document.harmless)",
            advice: "caret ls lists the documents that you may read")
    }
}

import CaretClient
import CaretWire

extension LiveClient {
    /// All documents whose names begin with `prefix`, sorted by name.
    func documents(under prefix: String) async throws -> [DocumentList.Entry] {
        try await allPages { last in
            let page = try await list(prefix: prefix, after: last?.name, limit: 1_000)
            return (page.documents, page.hasMore)
        }
    }

    /// All deleted documents whose names begin with `prefix`, sorted by number.
    func deletedDocuments(under prefix: String) async throws -> [DeletedDocumentList.Entry] {
        try await allPages { last in
            let page = try await deletedDocuments(prefix: prefix, after: last?.number, limit: 1_000)
            return (page.documents, page.hasMore)
        }
    }

    /// All connections, sorted by number.
    func allConnections() async throws -> [ConnectionList.Entry] {
        try await allPages { last in
            let page = try await connections(after: last?.number, limit: 1_000)
            return (page.connections, page.hasMore)
        }
    }

    /// The entries of all pages. `next` requests the page after an entry, and says whether there are more
    /// pages.
    private func allPages<Entry>(
        _ next: (_ last: Entry?) async throws -> (entries: [Entry], hasMore: Bool)
    ) async throws -> [Entry] {
        var all: [Entry] = []
        while true {
            let page = try await next(all.last)
            all += page.entries
            if !page.hasMore || page.entries.isEmpty { return all }
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
        // The name of the document sorts before all longer names that begin with this name.
        let first = try await list(prefix: document, limit: 1).documents.first
        if let first, first.name.utf8.elementsEqual(document.utf8) { return first }
        throw Failure(
            "\(document.printable): there is no such document (not_found)",
            advice: "`caret ls` lists the documents that you may read")
    }
}

import CaretCore
import CaretLog

/// What followers were told of documents. Another server may rename or delete a document, and only this list has the
/// name that the followers know.
struct ToldDocuments: Equatable, Sendable {
    struct Told: Equatable, Sendable {
        let name: DocumentName
        let epoch: Epoch
        let head: Revision

        init(_ entry: DocumentEntry) { (name, epoch, head) = (entry.name, entry.epoch, entry.head) }
    }

    private var told: [DocumentID: Told] = [:]
    /// The documents that a scan has not found yet; nil if no scan runs.
    private var missing: Set<DocumentID>?

    var isEmpty: Bool { told.isEmpty }

    subscript(document: DocumentID) -> Told? { told[document] }

    mutating func tell(_ entry: DocumentEntry) { told[entry.id] = Told(entry) }

    mutating func forget(_ document: DocumentID) -> Told? { told.removeValue(forKey: document) }

    // MARK: Scans

    /// Begins to compare all documents with what was told.
    mutating func beginScan() { missing = Set(told.keys) }

    /// Those of the scanned documents that have changed.
    mutating func scanned(_ entries: [DocumentEntry]) -> [DocumentID] {
        for entry in entries { missing?.remove(entry.id) }
        return entries.filter { told[$0.id] != Told($0) }.map(\.id)
    }

    /// Ends the scan. Returns the documents that it has not found: they were renamed or deleted.
    mutating func endScan() -> [DocumentID] { (missing.take() ?? []).sorted() }
}

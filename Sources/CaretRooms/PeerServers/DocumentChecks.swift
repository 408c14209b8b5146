import CaretLog

/// Which documents the hub must compare with the store, because another server may have changed them. One comparison
/// runs at a time.
struct DocumentChecks: Equatable, Sendable {
    /// How many documents are compared at once.
    static let batch = 1_000

    private var due: Set<DocumentID> = []
    /// The documents of the comparison that runs now; nil if there is none.
    private var underway: [DocumentID]?
    /// Those of them that have changed since the comparison began, so that its result may be outdated.
    private var outdated: Set<DocumentID> = []

    mutating func add(_ documents: some Sequence<DocumentID>) { due.formUnion(documents) }

    /// A document changes here. The result of a comparison that has begun before is not used.
    mutating func changed(_ document: DocumentID) {
        if underway?.contains(document) == true { outdated.insert(document) }
    }

    /// The documents of the next comparison; nil if there are none, or if another comparison runs.
    mutating func next() -> [DocumentID]? {
        if underway != nil || due.isEmpty { return nil }
        let documents = Array(due.sorted().prefix(DocumentChecks.batch))
        due.subtract(documents)
        underway = documents
        return documents
    }

    /// Ends a comparison. Returns the documents whose results are valid, with their results. The others are compared
    /// again.
    mutating func ended(
        _ results: [Result<DocumentEntry, StoreRefusal>]
    ) -> [(DocumentID, Result<DocumentEntry, StoreRefusal>)] {
        let documents = underway ?? []
        let again = outdated
        (underway, outdated) = (nil, [])
        due.formUnion(again)
        return zip(documents, results).filter { !again.contains($0.0) }
    }
}

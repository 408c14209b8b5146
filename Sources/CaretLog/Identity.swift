/// Identifies a document. Unique in one store, never used again, and not changed by a rename.
package struct DocumentID: Hashable, Comparable, Sendable {
    package let value: Int64

    package init(_ value: Int64) { self.value = value }

    package static func < (left: DocumentID, right: DocumentID) -> Bool { left.value < right.value }
}

/// Names one history of a document. Revision numbers belong to it.
///
/// Opaque to clients, and unique over all servers. A new generation renews the epochs of all documents at
/// once, which is needed when an older state of the whole store is put back to work.
package struct Epoch: Hashable, Sendable {
    /// The part of the store.
    package let generation: UInt64
    /// The part of the document.
    package let document: UInt64

    package init(generation: UInt64, document: UInt64) {
        self.generation = generation
        self.document = document
    }
}

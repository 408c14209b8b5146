/// Which document: unique in one store, never used again, unchanged by a rename.
package struct DocumentID: Hashable, Comparable, Sendable {
    package let value: Int64

    package init(_ value: Int64) { self.value = value }

    package static func < (left: DocumentID, right: DocumentID) -> Bool { left.value < right.value }
}

/// Which history of a document its revision numbers count in.
///
/// Opaque to everybody else, and unique over all servers. A new generation renews the epochs of all documents at
/// once: an older state of the whole store was put back to work.
package struct Epoch: Hashable, Sendable {
    /// The store's part.
    package let generation: UInt64
    /// The document's own part.
    package let document: UInt64

    package init(generation: UInt64, document: UInt64) {
        self.generation = generation
        self.document = document
    }
}

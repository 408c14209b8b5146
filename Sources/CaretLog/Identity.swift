/// Identifies a document. The id is unique in one store and never used again. A rename does not change it.
package struct DocumentID: Hashable, Comparable, Sendable {
    package let value: Int64

    package init(_ value: Int64) { self.value = value }

    package static func < (left: DocumentID, right: DocumentID) -> Bool { left.value < right.value }
}

/// Identifies one history of a document. A revision number has a meaning only together with its epoch.
///
/// An epoch is opaque to clients, and unique over all servers. A new generation renews the epochs of all
/// documents at once. This is needed when the database is replaced by an older copy.
package struct Epoch: Hashable, Sendable {
    /// The store's part of the epoch.
    package let generation: UInt64
    /// The document's part of the epoch.
    package let document: UInt64

    package init(generation: UInt64, document: UInt64) {
        self.generation = generation
        self.document = document
    }
}

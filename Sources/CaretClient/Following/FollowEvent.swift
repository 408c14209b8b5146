package import CaretWire

/// What is told to whoever follows the documents of a server.
package enum DocumentNews: Equatable, Sendable {
    /// All documents are told anew from here on: what was told before may have changed since.
    case beginning
    /// A document is there, was made, or was changed.
    case document(DocumentSummary)
    /// All that are there have been told.
    case complete
    case gone(Gone)
}

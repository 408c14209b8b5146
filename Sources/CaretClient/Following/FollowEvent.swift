package import CaretWire

/// An event for a program that follows the documents of a server.
package enum FollowEvent: Equatable, Sendable {
    /// A new list of all documents begins, because the client has connected. Earlier events may be out of
    /// date.
    case restarted
    /// A document exists, was created, or was changed.
    case document(DocumentSummary)
    /// The list that began with `restarted` is complete.
    case complete
    /// There is no document with this name any more, or the client may not read it.
    case gone(Gone)
}

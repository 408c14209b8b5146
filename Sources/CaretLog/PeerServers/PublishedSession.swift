package import CaretCore

/// What a server publishes about one of its sessions: who it is, and what it has selected.
package struct PublishedSession: Hashable, Sendable {
    package let document: DocumentID
    /// The document's part of the epoch.
    package let epoch: UInt64
    /// The selections count in the text at this revision, in UTF-16.
    package var revision: Revision
    /// The public id of the session.
    package let session: ByteString
    package let user: ByteString
    /// The public id of the client.
    package var client: ByteString
    /// The JSON text with which the client describes itself; nil if it does not.
    package let info: ByteString?
    /// Grows with each change of the session's selections.
    package let moment: Int
    package let selections: [Selection]

    /// More selections of one session are not published.
    package static let mostSelections = 100

    package init(
        document: DocumentID, epoch: UInt64, revision: Revision, session: ByteString, user: ByteString,
        client: ByteString, info: ByteString?, moment: Int, selections: [Selection]
    ) {
        (self.document, self.epoch, self.revision) = (document, epoch, revision)
        (self.session, self.user, self.client, self.info) = (session, user, client, info)
        (self.moment, self.selections) = (moment, selections)
    }
}

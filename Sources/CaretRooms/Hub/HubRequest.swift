import CaretCore
package import CaretLog
package import CaretWire

/// A connection's request to the hub. There is one at a time per connection.
package struct HubRequest: Equatable, Sendable {
    package enum Question: Equatable, Sendable {
        /// Opens a document. The hub sets the rights in `RoomOpening`.
        case open(DocumentName, RoomOpening, creates: Bool)
        /// Pushes to a document that the connection does not have open. The hub sets the rights in
        /// `RoomPush`.
        case push(DocumentName, RoomPush, creates: Bool)
        case read(DocumentName, Read)
        case history(DocumentName, History)
        case blame(DocumentName, BlameRequest)
        case rename(DocumentName, to: DocumentName, Rename)
        case delete(DocumentName, Delete)
        /// The `passage` of the message, checked, and the message.
        case redact(DocumentName, Redaction, Redact)
        case tags(DocumentName, TagRequest)
        case links(DocumentName, LinkRequest)
        case notes(DocumentName, NoteRequest)
        /// Replaces the token of the connection by another one of its user.
        case authenticate(Identity)
        case list(List)
        case listDeleted(ListDeleted)
        case undelete(Undelete)
        case follow(Follow)
        case unfollow
        case admin(AdminRequest)
    }

    package let connection: ConnectionID
    package let id: RequestID?
    package let question: Question
    /// A moment before the request, if the answer to a read may be kept for other readers.
    package var asOf: StoreTime?

    /// Whether it is a read of a document's whole newest text.
    package var isOfNewestText: Bool {
        if case .read(_, let read) = question { read.isOfNewestText } else { false }
    }

    package init(connection: ConnectionID, id: RequestID?, question: Question) {
        self.connection = connection
        self.id = id
        self.question = question
    }
}

extension HubRequest.Question {
    /// Converts a message to a question for the hub. `names` are the parsed names in the message. Nil if the
    /// message is not for the hub.
    init?(_ message: ClientMessage, _ names: [DocumentName]) {
        switch message {
        case .read(let read): self = .read(names[0], read)
        case .history(let history): self = .history(names[0], history)
        case .blame(let blame): self = .blame(names[0], blame)
        case .rename(let rename): self = .rename(names[0], to: names[1], rename)
        case .delete(let delete): self = .delete(names[0], delete)
        case .tags(let tags): self = .tags(names[0], tags)
        case .links(let links): self = .links(names[0], links)
        case .notes(let notes): self = .notes(names[0], notes)
        case .list(let list): self = .list(list)
        case .listDeleted(let list): self = .listDeleted(list)
        case .undelete(let undelete): self = .undelete(undelete)
        case .follow(let follow): self = .follow(follow)
        case .unfollow: self = .unfollow
        case .admin(let admin): self = .admin(admin)
        case .hello, .authenticate, .open, .close, .push, .select, .diverged, .restore, .ping, .pong:
            return nil
        }
    }

    /// The document's name, parsed and as the client wrote it.
    var document: (name: DocumentName, sentName: WireString)? {
        switch self {
        case .open(let name, let opening, _): (name, opening.document)
        case .push(let name, let push, _): (name, push.document)
        case .read(let name, let read): (name, read.document)
        case .history(let name, let history): (name, history.document)
        case .blame(let name, let blame): (name, blame.document)
        case .rename(let name, _, let rename): (name, rename.document)
        case .delete(let name, let delete): (name, delete.document)
        case .redact(let name, _, let redact): (name, redact.document)
        case .tags(let name, let tags): (name, tags.document)
        case .links(let name, let links): (name, links.document)
        case .notes(let name, let notes): (name, notes.document)
        case .authenticate, .list, .listDeleted, .undelete, .follow, .unfollow, .admin: nil
        }
    }

    /// The document's name as the client wrote it; nil if the request has none.
    var sentName: WireString? {
        if case .admin(let admin) = self { return admin.document }
        return document?.sentName
    }

    var seq: Int? {
        guard case .push(_, let push, _) = self else { return nil }
        return Int(push.seq)
    }
}

import CaretCore
package import CaretLog
package import CaretWire

/// What a connection asks of the hub. It asks one thing at a time.
package struct HubRequest: Equatable, Sendable {
    package enum Question: Equatable, Sendable {
        /// The hub fills in the rights.
        case open(DocumentName, RoomOpening, creates: Bool)
        /// Of a document that the connection does not have open. The hub fills in the rights.
        case push(DocumentName, RoomPush, creates: Bool)
        case read(DocumentName, Read)
        case history(DocumentName, History)
        case rename(DocumentName, to: DocumentName, Rename)
        case delete(DocumentName, Delete)
        case list(List)
        case follow(Follow)
        case unfollow
        case admin(AdminRequest)
    }

    package let connection: ConnectionID
    package let id: RequestID?
    package let question: Question

    package init(connection: ConnectionID, id: RequestID?, question: Question) {
        self.connection = connection
        self.id = id
        self.question = question
    }
}

extension HubRequest.Question {
    /// What a message asks of documents with these names; nil for what is no question to the hub.
    init?(_ message: ClientMessage, _ names: [DocumentName]) {
        switch message {
        case .read(let read): self = .read(names[0], read)
        case .history(let history): self = .history(names[0], history)
        case .rename(let rename): self = .rename(names[0], to: names[1], rename)
        case .delete(let delete): self = .delete(names[0], delete)
        case .list(let list): self = .list(list)
        case .follow(let follow): self = .follow(follow)
        case .unfollow: self = .unfollow
        case .admin(let admin): self = .admin(admin)
        case .hello, .open, .close, .push, .select, .diverged, .restore, .ping, .pong: return nil
        }
    }

    /// What document it is about, and what the client calls it.
    var document: (name: DocumentName, said: WireString)? {
        switch self {
        case .open(let name, let opening, _): (name, opening.document)
        case .push(let name, let push, _): (name, push.document)
        case .read(let name, let read): (name, read.document)
        case .history(let name, let history): (name, history.document)
        case .rename(let name, _, let rename): (name, rename.document)
        case .delete(let name, let delete): (name, delete.document)
        case .list, .follow, .unfollow, .admin: nil
        }
    }

    /// What document the client said that it is about.
    var said: WireString? {
        if case .admin(let admin) = self { return admin.document }
        return document?.said
    }

    var seq: Int? {
        guard case .push(_, let push, _) = self else { return nil }
        return Int(push.seq)
    }
}

import CaretRooms
import CaretWire

extension HubRequest.Question {
    /// The client's message that leads to this question, as JSON.
    var message: String {
        switch self {
        case .open(_, let opening, let creates):
            ClientMessage.open(
                Open(
                    document: opening.document, create: creates, resume: opening.resume, mode: opening.mode,
                    squash: opening.squashes)
            ).json
        case .push(_, let push, let creates): push.message(creates: creates)
        case .read(_, let read): ClientMessage.read(read).json
        case .history(_, let history): ClientMessage.history(history).json
        case .blame(_, let blame): ClientMessage.blame(blame).json
        case .rename(_, _, let rename): ClientMessage.rename(rename).json
        case .delete(_, let delete): ClientMessage.delete(delete).json
        case .redact(_, _, let redact): ClientMessage.admin(.redact(redact)).json
        case .tags(_, let tags): ClientMessage.tags(tags).json
        case .notes(_, let notes): ClientMessage.notes(notes).json
        case .links(_, let links): ClientMessage.links(links).json
        case .authenticate: preconditionFailure("each HTTP request shows its own token")
        case .list(let list): ClientMessage.list(list).json
        case .listDeleted(let list): ClientMessage.listDeleted(list).json
        case .undelete(let undelete): ClientMessage.undelete(undelete).json
        case .follow(let follow): ClientMessage.follow(follow).json
        case .unfollow: ClientMessage.unfollow(Unfollow()).json
        case .admin(let admin): ClientMessage.admin(admin).json
        }
    }

    /// The number of the session that this question opens.
    var session: Int? {
        if case .open(_, let opening, _) = self { opening.session.number } else { nil }
    }
}

extension RoomEvent {
    /// The client's message in this event, as JSON, and the number of its session.
    var message: (json: String, session: Int)? {
        switch self {
        case .push(let push): (push.message(creates: false), push.session.number)
        case .close(let session, _): (#"{"type":"close"}"#, session.number)
        default: nil
        }
    }
}

extension RoomPush {
    fileprivate func message(creates: Bool) -> String {
        let content: Push.Content
        switch self.content {
        case .edits(let edits): content = .edits(edits)
        case .text(let text): content = .text(text)
        case .restore:
            return ClientMessage.restore(
                Restore(document: document, epoch: epoch ?? "", revision: base, seq: Int(seq))
            ).json
        }
        return ClientMessage.push(
            Push(
                document: document, epoch: epoch, base: base, seq: Int(seq), content: content,
                wantsText: wantsText, create: creates, exact: isExact)
        ).json
    }
}

extension SessionID {
    fileprivate var number: Int { Int(value & (1 << 28 - 1)) }
}

extension ClientMessage {
    /// The message as a line, without its line end.
    var json: String {
        var writer = JSONWriter()
        encode(into: &writer)
        return String(decoding: writer.bytes.dropLast(), as: UTF8.self)
    }
}

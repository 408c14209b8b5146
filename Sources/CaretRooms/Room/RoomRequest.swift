import CaretLog
package import CaretWire

/// A request of a session. It may wait until the room has looked up the pusher, so that all requests take
/// effect in the order sent.
package enum RoomRequest: Equatable, Sendable {
    case open(RoomOpening)
    /// If the room has accepted the push before, it does not check again whether the document is open.
    case push(RoomPush, wasAccepted: Bool)
    case select(SessionID, Select, RequestID?)
    case close(SessionID, RequestID?)

    var session: SessionID {
        switch self {
        case .open(let opening): opening.session
        case .push(let push, _): push.session
        case .select(let session, _, _), .close(let session, _): session
        }
    }

    /// The document's name in the request. Nil for requests of an open session, which need no name.
    var document: WireString? {
        switch self {
        case .open(let opening): opening.document
        case .push(let push, _): push.document
        case .select, .close: nil
        }
    }

    fileprivate var pusher: Pusher? {
        if case .push(let push, _) = self { push.pusher } else { nil }
    }

    /// Returns the request with new rights if it belongs to this session.
    func with(_ rights: Rights, of session: SessionID) -> RoomRequest {
        switch self {
        case .open(var opening) where opening.session == session:
            opening.rights = rights
            return .open(opening)
        case .push(var push, let wasAccepted) where push.session == session:
            push.rights = rights
            return .push(push, wasAccepted: wasAccepted)
        case .open, .push, .select, .close: return self
        }
    }
}

extension [RoomRequest] {
    func holdsPush(of pusher: Pusher) -> Bool { contains { $0.pusher == pusher } }

    /// Adds a request at the end of the queue, or refuses it. For each pusher, the queue holds at most two
    /// pushes: a repeat and the next push. For each session, it holds at most one selection.
    mutating func join(_ request: RoomRequest) -> RequestRefusal? {
        switch request {
        case .open, .close: append(request)
        case .select(let session, _, _):
            // Only the latest selection counts.
            removeAll { if case .select(session, _, _) = $0 { true } else { false } }
            append(request)
        case .push(let push, let wasAccepted): return wasAccepted ? joinAgain(push) : join(push)
        }
        return nil
    }

    private mutating func join(_ push: RoomPush) -> RequestRefusal? {
        let indices = indices.filter { self[$0].pusher == push.pusher }
        if let last = indices.last, case .push(let other, _) = self[last] {
            if push.isRepeat(of: other) {
                // The latest repeat gets the answer. It moves to the end of the queue, after the earlier
                // requests of its sender.
                remove(at: last)
            } else if indices.count > 1 {
                return .otherPushPending(push, beside: other)
            }
        }
        append(.push(push, wasAccepted: false))
        return nil
    }

    /// Queues a push that the room has accepted before. It goes to the front, because it arrived before all
    /// queued requests. If a repeat of the push is queued, only the repeat is answered.
    private mutating func joinAgain(_ push: RoomPush) -> RequestRefusal? {
        let isRepeated = contains {
            if case .push(let other, _) = $0, other.pusher == push.pusher {
                push.isRepeat(of: other)
            } else {
                false
            }
        }
        if !isRepeated { insert(.push(push, wasAccepted: true), at: 0) }
        return nil
    }
}

extension RoomPush {
    fileprivate func isRepeat(of other: RoomPush) -> Bool { seq == other.seq && digest == other.digest }
}

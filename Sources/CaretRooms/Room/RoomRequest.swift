import CaretLog
package import CaretWire

/// What a session asks of a room and what waits until its pusher is known, so that all of it takes effect in the
/// order sent.
package enum RoomRequest: Equatable, Sendable {
    case open(RoomOpening)
    /// A push that was accepted before is not asked again whether its session has the document open.
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

    /// It cannot be judged without what its pusher has pushed.
    var needsPusher: Bool {
        switch self {
        case .open, .push: true
        case .select, .close: false
        }
    }

    /// What the document is called in it; nil where that was settled when its session was opened.
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

    /// As one whose session has other rights now.
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

    /// Lets a request wait behind the others, or refuses it. However long they wait there are two pushes of a pusher
    /// among them, a repeat and the next, and one selection of a session.
    mutating func join(_ request: RoomRequest) -> RequestRefusal? {
        switch request {
        case .open, .close: append(request)
        case .select(let session, _, _):
            // The latest wins.
            removeAll { if case .select(session, _, _) = $0 { true } else { false } }
            append(request)
        case .push(let push, let wasAccepted): return wasAccepted ? joinAgain(push) : join(push)
        }
        return nil
    }

    private mutating func join(_ push: RoomPush) -> RequestRefusal? {
        let places = indices.filter { self[$0].pusher == push.pusher }
        if let last = places.last, case .push(let other, _) = self[last] {
            if push.isRepeat(of: other) {
                // The answer goes to wherever he asked last, behind what he asked before that.
                remove(at: last)
            } else if places.count > 1 {
                return .unsettled(push, beside: other)
            }
        }
        append(.push(push, wasAccepted: false))
        return nil
    }

    /// A push that was accepted came before all that waits; a repeat of it that waits is answered in its place.
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

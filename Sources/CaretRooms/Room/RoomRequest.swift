import CaretLog
package import CaretWire

/// A session's request that may wait until its pusher is known, so that all requests take effect in the order
/// sent.
package enum RoomRequest: Equatable, Sendable {
    case open(RoomOpening)
    /// A push that was accepted before is not checked again for an open document.
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

    /// It cannot be validated without knowing what its pusher has pushed.
    var needsPusher: Bool {
        switch self {
        case .open, .push: true
        case .select, .close: false
        }
    }

    /// The document's name in the request; nil if opening the session has settled it.
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

    /// The same request, from a session with other rights.
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

    /// Makes a request wait after the others, or refuses it. However long they wait, they include at most two
    /// pushes of a pusher, a repeat and the next one, and one selection of a session.
    mutating func join(_ request: RoomRequest) -> RequestRefusal? {
        switch request {
        case .open, .close: append(request)
        case .select(let session, _, _):
            // The latest one counts.
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
                // The answer goes to the latest repeat, after the answers to what its sender requested
                // before.
                remove(at: last)
            } else if places.count > 1 {
                return .unsettled(push, beside: other)
            }
        }
        append(.push(push, wasAccepted: false))
        return nil
    }

    /// An accepted push came before everything that waits. A waiting repeat of it is answered in its place.
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

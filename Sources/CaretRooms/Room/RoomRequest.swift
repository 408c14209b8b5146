import CaretLog
import CaretWire

/// What a session asks of a room and what waits until its pusher is known, so that all of it takes effect in the
/// order sent.
enum RoomRequest: Equatable, Sendable {
    case open(RoomOpening)
    /// A push that was taken before is not asked again whether its session has the document open.
    case push(RoomPush, wasTaken: Bool)
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

    /// As one whose session has other rights now.
    func with(_ rights: Rights, of session: SessionID) -> RoomRequest {
        switch self {
        case .open(var opening) where opening.session == session:
            opening.rights = rights
            return .open(opening)
        case .push(var push, let wasTaken) where push.session == session:
            push.rights = rights
            return .push(push, wasTaken: wasTaken)
        case .open, .push, .select, .close: return self
        }
    }
}

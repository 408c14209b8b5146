package import CaretRooms
import Synchronization

/// A request whose latency is measured, from the socket to the answer.
package enum MeasuredRequest: Equatable, Sendable {
    case push(SessionID, seq: Int64)
    case opening(SessionID)

    var session: SessionID {
        switch self {
        case .push(let session, _), .opening(let session): session
        }
    }
}

/// When unanswered requests were read. Used only for metrics; no decision depends on it.
///
/// Each loop has one. The loop adds a request before sending it on, and the queue of the room removes it with
/// its answer. A request without a measured answer, such as a refused one, stays until its session ends or
/// newer requests replace it.
package final class ReadTimes: Sendable {
    private struct Entry {
        let request: MeasuredRequest
        let time: Moment
    }

    /// Requests of one connection. That is more than it usually has in flight. Beyond this, the oldest one is
    /// not measured.
    static let mostOfConnection = 64

    private let entries = Mutex<[ConnectionID: [Entry]]>([:])

    package init() {}

    /// A repeated request replaces the earlier one, which was probably refused.
    package func add(_ request: MeasuredRequest, at time: Moment) {
        entries.withLock { entries in
            ReadTimes.add(
                Entry(request: request, time: time), to: &entries[request.session.connection, default: []])
        }
    }

    private static func add(_ entry: Entry, to list: inout [Entry]) {
        if let index = list.firstIndex(where: { $0.request == entry.request }) { list.remove(at: index) }
        if list.count == ReadTimes.mostOfConnection { list.removeFirst() }
        list.append(entry)
    }

    /// When the request was read that is being answered; nil if that is not known.
    package func take(_ request: MeasuredRequest) -> Moment? {
        entries.withLock { entries in
            let connection = request.session.connection
            guard let index = entries[connection]?.firstIndex(where: { $0.request == request }) else {
                return nil
            }
            return entries[connection]?.remove(at: index).time
        }
    }

    /// The session has ended.
    package func forget(_ session: SessionID) {
        entries.withLock { $0[session.connection]?.removeAll { $0.request.session == session } }
    }

    /// The connection has ended.
    package func forget(_ connection: ConnectionID) { entries.withLock { $0[connection] = nil } }
}

extension MeasuredRequest {
    /// Nil for requests that no room answers.
    init?(_ question: HubRequest.Question) {
        switch question {
        case .open(_, let opening, _): self = .opening(opening.session)
        case .push(_, let push, _): self = .push(push.session, seq: push.seq)
        case .read, .history, .rename, .delete, .list, .follow, .unfollow, .admin: return nil
        }
    }

    init?(_ event: RoomEvent) {
        guard case .push(let push) = event else { return nil }
        self = .push(push.session, seq: push.seq)
    }
}

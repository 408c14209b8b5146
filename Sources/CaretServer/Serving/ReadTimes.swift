package import CaretRooms
import Synchronization

/// A request whose time from the socket to the answer is measured.
package enum MeasuredRequest: Equatable, Sendable {
    case push(SessionID, seq: Int64)
    case opening(SessionID)

    var session: SessionID {
        switch self {
        case .push(let session, _), .opening(let session): session
        }
    }
}

/// When the requests were read that rooms have not answered yet. Only metrics use it; nothing is decided by it.
///
/// Each loop has one. The loop adds a request before it sends it on, and the queues of rooms take it with its answer.
/// A request without a measured answer, such as a refused one, stays until its session ends or newer ones push it out.
package final class ReadTimes: Sendable {
    private struct Entry {
        let request: MeasuredRequest
        let time: Moment
    }

    /// Requests of one connection: more than it has in flight as a rule. The oldest one beyond is not measured.
    static let mostOfConnection = 64

    private let entries = Mutex<[ConnectionID: [Entry]]>([:])

    package init() {}

    /// A request that is sent again takes the place of the earlier one, which was most likely refused.
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

    /// When a request was read that is answered now; nil where that is not known.
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

    /// The connection is over.
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

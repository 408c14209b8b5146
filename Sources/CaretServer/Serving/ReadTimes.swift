package import CaretRooms
import Synchronization

/// A request whose latency is measured, from the read of its bytes to the answer.
package enum MeasuredRequest: Equatable, Sendable {
    case push(SessionID, seq: Int64)
    case opening(SessionID)

    var session: SessionID {
        switch self {
        case .push(let session, _), .opening(let session): session
        }
    }
}

/// The times at which unanswered requests were read. Used only for metrics; no decision depends on them.
///
/// Each loop has one instance. The loop adds a request before sending it to the room. The room's queue
/// removes the request when it sends the answer. A request that is refused stays until its session ends or
/// newer requests replace it.
package final class ReadTimes: Sendable {
    private struct Entry {
        let request: MeasuredRequest
        let time: Moment
    }

    /// The most requests that are kept for one connection. A connection usually has fewer in flight. If it
    /// has more, the oldest request is not measured.
    static let mostOfConnection = 64

    private let entries = Mutex<[ConnectionID: [Entry]]>([:])

    package init() {}

    /// Adds a request. A repeated request replaces the earlier one, which was probably refused.
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

    /// Removes an answered request. Returns the time at which it was read; nil if that is unknown.
    package func remove(_ request: MeasuredRequest) -> Moment? {
        entries.withLock { entries in
            let connection = request.session.connection
            guard let index = entries[connection]?.firstIndex(where: { $0.request == request }) else {
                return nil
            }
            return entries[connection]?.remove(at: index).time
        }
    }

    /// Removes all requests of a session that has ended.
    package func forget(_ session: SessionID) {
        entries.withLock { $0[session.connection]?.removeAll { $0.request.session == session } }
    }

    /// Removes all requests of a connection that has ended.
    package func forget(_ connection: ConnectionID) { entries.withLock { $0[connection] = nil } }
}

extension MeasuredRequest {
    /// Nil for requests whose latency is not measured.
    init?(_ question: HubRequest.Question) {
        switch question {
        case .open(_, let opening, _): self = .opening(opening.session)
        case .push(_, let push, _): self = .push(push.session, seq: push.seq)
        case .authenticate, .read, .history, .blame, .rename, .delete, .redact, .tags, .links, .notes,
            .list, .listDeleted, .undelete, .follow, .unfollow, .admin:
            return nil
        }
    }

    init?(_ event: RoomEvent) {
        guard case .push(let push) = event else { return nil }
        self = .push(push.session, seq: push.seq)
    }
}

import CaretCore
package import CaretLog
package import CaretRooms
import CaretWire

/// Jobs for connections of one loop, in this order.
struct ConnectionJobs: Sendable {
    private(set) var jobs: [(connection: ConnectionID, job: ConnectionJob)] = []
    /// The lines that rooms send. Jobs refer to them, so that a line for many connections is stored once.
    private(set) var lines: [[UInt8]] = []

    init() {}

    init(_ job: ConnectionJob, for connection: ConnectionID) { jobs = [(connection, job)] }

    var isEmpty: Bool { jobs.isEmpty }

    mutating func add(_ job: ConnectionJob, for connection: ConnectionID) { jobs.append((connection, job)) }

    mutating func send(_ output: RoomOutput, to session: SessionID) {
        let known = lines.suffix(ConnectionJobs.lookedAt).lastIndex { $0.isStored(with: output.bytes) }
        if known == nil { lines.append(output.bytes) }
        jobs.append((session.connection, .sent(session, output.kind, line: known ?? lines.count - 1)))
    }

    /// A line for many sessions is sent to one after the other, in up to three units. In between, each
    /// session gets lines of its own.
    private static let lookedAt = 4
}

extension [UInt8] {
    /// Whether both are the same memory.
    fileprivate func isStored(with other: [UInt8]) -> Bool {
        withUnsafeBytes { own in
            other.withUnsafeBytes { own.baseAddress == $0.baseAddress && own.count == $0.count }
        }
    }
}

/// What a connection receives, other than from its socket.
enum ConnectionJob: Sendable {
    /// From a room. Most jobs are of this kind, so it is kept small.
    case sent(SessionID, RoomOutput.Kind, line: Int)
    case ended(SessionID)
    case cut(SessionID)
    indirect case told(ConnectionNews)
    indirect case undelivered(RoomEvent)
    indirect case authenticated(Authentication)
}

/// What the hub receives.
package enum HubJob: Sendable {
    case event(HubEvent)
    /// The server stops. Calls back once the last connection has ended.
    case shutDown(then: @Sendable () -> Void)
}

/// What rooms receive.
package enum RoomJob: Sendable {
    /// From a connection. It gets the event back if the room does not exist.
    case event(DocumentID, RoomEvent, from: ConnectionID)
    /// From the hub.
    case order(DocumentID, RoomEvent)
    /// The answer to an action of the room, and when it arrived.
    indirect case answer(RoomInstance, RoomEvent, at: Moment)
    indirect case make(DocumentEntry, Snapshot)
    case drop(DocumentID)
    case timePassed
}

/// One instance of a room. A later room of the same document has another number.
package struct RoomInstance: Hashable, Sendable {
    let document: DocumentID
    let number: Int

    package init(document: DocumentID, number: Int) {
        self.document = document
        self.number = number
    }
}

import CaretCore
package import CaretLog
package import CaretRooms
import CaretWeb
import CaretWire

/// Jobs for connections of one loop, in the order in which they must run.
package struct ConnectionJobs: Sendable {
    private(set) var jobs: [(connection: ConnectionID, job: ConnectionJob)] = []
    /// The lines that rooms send. Jobs contain the index of a line, so that a line for many connections is
    /// stored once.
    package private(set) var lines: [[UInt8]] = []

    package init() {}

    init(_ job: ConnectionJob, for connection: ConnectionID) { jobs = [(connection, job)] }

    var isEmpty: Bool { jobs.isEmpty }

    mutating func add(_ job: ConnectionJob, for connection: ConnectionID) { jobs.append((connection, job)) }

    package mutating func send(_ output: RoomOutput, to session: SessionID) {
        let known = lines.suffix(ConnectionJobs.searchedLines).lastIndex {
            $0.sharesStorage(with: output.bytes)
        }
        if known == nil { lines.append(output.bytes) }
        jobs.append((session.connection, .sent(session, output.kind, line: known ?? lines.count - 1)))
    }

    /// How many of the last lines are searched for an equal one. A room sends a line to one session after the
    /// other. The line may have three versions, one for each unit in which clients count offsets. Lines for
    /// single sessions may come between these versions.
    private static let searchedLines = 4
}

extension [UInt8] {
    /// Whether both arrays share their memory, and so are equal.
    fileprivate func sharesStorage(with other: [UInt8]) -> Bool {
        withUnsafeBytes { own in
            other.withUnsafeBytes { own.baseAddress == $0.baseAddress }
        }
    }
}

/// Jobs for a connection, from rooms, the hub, the authenticator and background work.
enum ConnectionJob: Sendable {
    /// A line from a room. Most jobs are of this kind, so the case is small.
    case sent(SessionID, RoomOutput.Kind, line: Int)
    /// A line with a long text from a room.
    indirect case sentText(SessionID, TextLine)
    case ended(SessionID)
    case disconnect(SessionID)
    indirect case hubSent(HubMessage)
    indirect case undelivered(RoomEvent)
    indirect case authenticated(Authentication)
    /// The response that a connection asked to compute.
    indirect case computed(Response, number: Int)
}

/// Jobs for the hub.
package enum HubJob: Sendable {
    case event(HubEvent)
    /// The server stops. The closure is called once the last connection has ended.
    case shutDown(then: @Sendable () -> Void)
}

/// Jobs for rooms.
package enum RoomJob: Sendable {
    /// An event from a connection. If the room does not exist, the connection gets the event back.
    case connectionEvent(DocumentID, RoomEvent, from: ConnectionID)
    /// An event from the hub.
    case hubEvent(DocumentID, RoomEvent)
    /// The answer to an action of the room, and the time at which the answer arrived.
    indirect case answer(RoomInstance, RoomEvent, at: Moment)
    indirect case makeRoom(LoadedDocument)
    case dropRoom(DocumentID)
    case timePassed
    /// End the rooms' waits for more pushes that end by this moment.
    case endWaits(by: Moment)
}

/// Identifies a room in memory. A later room of the same document has another number.
package struct RoomInstance: Hashable, Sendable {
    let document: DocumentID
    let number: Int

    package init(document: DocumentID, number: Int) {
        self.document = document
        self.number = number
    }
}

import CaretRooms

/// The numbers of the hub's connections, sessions, rooms and requests.
extension HubState {
    var requestsUnderWay: Int {
        calls.count + waitingReads.count + rooms.values.reduce(0) { $0 + $1.waiting.count }
    }
    var roomCount: Int { rooms.count }
    var sessionCount: Int { sessions.count }
    var connectionCount: Int { joinedConnections.connections.count }
}

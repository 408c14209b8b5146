import CaretRooms

/// How many things the hub keeps track of.
extension HubState {
    var requestsUnderWay: Int {
        calls.count + readings.count + rooms.values.reduce(0) { $0 + $1.waiting.count }
    }
    var roomCount: Int { rooms.count }
    var sessionCount: Int { sessions.count }
    var connectionCount: Int { attendance.connections.count }
}

package import CaretRooms
package import CaretWeb

/// Sees the states of rooms, hub and connections at each event. A production server has no observer. The
/// simulation uses one to check invariants and to inject faults.
package protocol StateObserver: AnyObject, Sendable {
    /// Passes the event to the room, and returns the room's actions.
    func handle(_ event: RoomEvent, in room: inout RoomState, at time: Int64) -> [RoomAction]
    /// Calls the room's `endGathering`, and returns the room's actions.
    func endGathering(of room: inout RoomState) -> [RoomAction]
    /// The hub has handled an event.
    func saw(_ hub: HubState)
    /// A connection has handled an event.
    func saw(_ connection: ConnectionState)
    /// A connection that speaks HTTP has handled an event.
    func saw(_ web: WebState)
}

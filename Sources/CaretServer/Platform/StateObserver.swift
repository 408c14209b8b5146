package import CaretRooms

/// Sees every state before and after each event. A server has none. The simulation checks invariants here,
/// and plants its faults.
package protocol StateObserver: AnyObject, Sendable {
    /// Lets a room handle an event.
    func handle(_ event: RoomEvent, in room: inout RoomState, at time: Int64) -> [RoomAction]
    /// Lets a room do what is due after its events.
    func endGathering(of room: inout RoomState) -> [RoomAction]
    /// The hub has handled an event.
    func saw(_ hub: HubState)
    /// A connection has handled an event.
    func saw(_ connection: ConnectionState)
}

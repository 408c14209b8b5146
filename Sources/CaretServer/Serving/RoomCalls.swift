import CaretLog
import CaretRooms

/// What rooms need besides connections and the hub.
extension Switchboard {
    /// Calls the store, and sends the room the answer.
    func make(_ call: StoreCall, _ id: CallID, for room: RoomInstance) {
        store.call(call, as: id) { [self] in answer(room, .answered(id, $0)) }
    }

    /// Computes something in parallel to the room's queue, and sends the room the result.
    func compute(_ work: Work, _ id: WorkID, for room: RoomInstance) {
        runInBackground { [self] in answer(room, .computed(id, work.done(checksum: \.crc32))) }
    }
}

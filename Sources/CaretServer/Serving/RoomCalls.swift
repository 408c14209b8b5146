import CaretCore
import CaretLog
import CaretRooms

/// The store calls and computations of rooms.
extension Switchboard {
    /// Calls the store, and sends the answer to the room.
    func make(_ call: StoreCall, _ id: CallID, for room: RoomInstance) {
        store.run(call) { [self] in answer(room, .answered(id, $0)) }
    }

    /// Runs a computation in the background, in parallel to the room's queue, and sends the result to the
    /// room.
    func compute(_ work: Work, _ id: WorkID, for room: RoomInstance) {
        runInBackground { [self] in answer(room, .computed(id, work.done(checksum: \.crc32))) }
    }

    /// Encodes a text in the background, and sends the result to the room.
    func encode(_ text: TextBuffer, _ version: TextVersion, for room: RoomInstance) {
        encoder.encode(text, version) { [self] in answer(room, .encoded(version, $0)) }
    }
}

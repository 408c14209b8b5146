import CaretCore
import CaretWire

/// Trims the room's part of the history after the store has trimmed its own.
extension RoomState {
    /// The store has deleted the revisions before this one.
    mutating func trimmed(start: Revision) {
        if closedWith != nil || start <= log.start { return }
        // The store's history begins after the room's head, so the room loads the document again.
        if start > head { return requestReload() }
        log.trim(to: start)
        for index in sessions.indices where sessions[index].stream.position < start {
            sessions.needText(index, .trimmed)
        }
    }
}

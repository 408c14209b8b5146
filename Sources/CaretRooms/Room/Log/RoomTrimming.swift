import CaretCore
import CaretWire

/// Trims the room's part of the history after the store has trimmed its own.
extension RoomState {
    /// The store has deleted the revisions before this one.
    mutating func trimmed(start: Revision) {
        if closedWith != nil || start <= log.start { return }
        // The store's history begins at a revision that the room does not have yet.
        if start > head {
            requestReload()
            return
        }
        log.trim(to: start)
        for index in sessions.indices where sessions[index].stream.position < start {
            sessions.needText(index, .trimmed)
        }
    }
}

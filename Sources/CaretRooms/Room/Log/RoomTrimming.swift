import CaretCore
import CaretWire

/// Removes trimmed history from what the room keeps too.
extension RoomState {
    /// The store has deleted the revisions before this one.
    mutating func trimmed(start: Revision) {
        if closedWith != nil || start <= log.start { return }
        // The store has a revision that the room does not have yet.
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

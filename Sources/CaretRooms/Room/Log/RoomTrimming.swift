import CaretCore
import CaretWire

/// What was trimmed is gone for good, also from what the room keeps.
extension RoomState {
    /// The store has forgotten what was before this revision.
    mutating func trimmed(start: Revision) {
        if closedWith != nil || start <= log.start { return }
        // The store has a revision that the room does not know.
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

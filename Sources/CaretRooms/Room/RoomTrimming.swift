package import CaretCore
import CaretWire

/// What was trimmed is gone for good, also from what the room has at hand.
extension RoomState {
    /// The store has forgotten what was before this revision.
    package mutating func trimmed(start: Revision) -> [RoomAction] {
        if over != nil || start <= self.start { return finished() }
        // The store has a revision that the room does not know.
        if start > head {
            needReload()
            return finished()
        }
        self.start = start
        window.trim(to: start)
        squashed = nil
        for place in sessions.indices where sessions[place].position < start {
            sessions[place].resync = .trimmed
            streamsWait = true
        }
        return finished()
    }
}
